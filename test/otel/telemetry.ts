import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** The real SDK, exporting to a collector. */
export interface Telemetry {
  /** Sends what there is. */
  readonly flush: () => Promise<void>;
  /** Sends what there is, and leaves nothing registered. */
  readonly close: () => Promise<void>;
}

/** Registers the real SDK with its exporters of OTLP over HTTP, as that of a service. */
export function startTelemetry(url: string, service = 'tested'): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': service });
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  });
  const exporter = new OTLPMetricExporter({ url: `${url}/v1/metrics` });
  const meters = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  const flush = async (): Promise<void> =>
    void (await Promise.all([provider.forceFlush(), meters.forceFlush()]));
  return {
    flush,
    close: async () => {
      await flush();
      await Promise.all([provider.shutdown(), meters.shutdown()]);
      for (const api of [trace, metrics, propagation, context]) api.disable();
    },
  };
}
