import type { Meter, Tracer } from '@opentelemetry/api';
import { metrics, trace } from '@opentelemetry/api';
import { A_FUNCTION, hasMethods, readOptions } from '@retry/core/fields';
import { traceCalls } from './call-spans.ts';
import type { MeasuredBudget } from './metrics.ts';
import { measure, measureBudgets } from './metrics.ts';
import { traceQueues } from './queue-spans.ts';

/** The options of `instrumentRetry`. Every key is optional. */
export interface OtelOptions {
  /** Makes the spans. @default that of the global provider, as `trace.getTracer('@retry/otel')` */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. @default that of the global provider, as `metrics.getMeter('@retry/otel')` */
  readonly meter?: Meter | undefined;
  /**
   * `publishDiagnostics` of `@retry/inprocess/node`: shows calls in this process, too, until the instrumentation ends. Queues and workers
   * need nothing. @default calls in this process are not shown, unless `publishDiagnostics` was called
   */
  readonly calls?: (() => () => void) | undefined;
  /** Which calls in this process have spans: those that were retried, or every one. Metrics count every one. @default 'retried' */
  readonly spans?: 'retried' | 'every' | undefined;
  /** Retry budgets by name, at most 100, whose balance is a gauge. @default none */
  readonly budgets?: Readonly<Record<string, MeasuredBudget>> | undefined;
}

const KEYS: readonly (keyof OtelOptions)[] = ['tracer', 'meter', 'calls', 'spans', 'budgets'];

const A_TRACER = {
  accepts: (value: unknown): value is Tracer => hasMethods(value, ['startSpan']),
  message: 'must be a tracer of @opentelemetry/api',
  cure: "Use trace.getTracer('my-app'), or leave it out.",
};

const A_METER = {
  accepts: (value: unknown): value is Meter => hasMethods(value, ['createCounter', 'createHistogram']),
  message: 'must be a meter of @opentelemetry/api',
  cure: "Use metrics.getMeter('my-app'), or leave it out.",
};

const MAX_BUDGETS = 100;

const BUDGETS = {
  accepts: (value: unknown): value is NonNullable<OtelOptions['budgets']> =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length <= MAX_BUDGETS &&
    Object.values(value).every((budget) => hasMethods(budget, ['state'])),
  message: `must be at most ${MAX_BUDGETS} retry budgets by name`,
  cure: 'Use { payments: createRetryBudget({ … }) }.',
};

/**
 * Shows calls, queues and workers of this process in OpenTelemetry, from now on: call it once, after the SDK was registered.
 *
 * @returns ends it
 * @throws {InvalidOptionsError} listing every wrong option
 */
export function instrumentRetry(options?: OtelOptions): () => void {
  const { tracer, meter, calls, isEvery, budgets } = readOptions(
    options,
    { subject: 'instrumentRetry', keys: KEYS },
    (fields) => ({
      tracer: fields.optional('tracer', A_TRACER),
      meter: fields.optional('meter', A_METER),
      calls: fields.optional('calls', A_FUNCTION) as OtelOptions['calls'], // checked by the rule
      budgets: fields.optional('budgets', BUDGETS),
      isEvery: fields.choice('spans', 'retried', ['retried', 'every']) === 'every',
    }),
  );
  const spans = tracer ?? trace.getTracer('@retry/otel');
  const measures = meter ?? metrics.getMeter('@retry/otel');
  const stops = [
    traceCalls(spans, { isEvery }),
    traceQueues(spans),
    measure(measures),
    ...(budgets === undefined ? [] : [measureBudgets(measures, budgets)]),
    ...(calls === undefined ? [] : [calls()]),
  ];
  return () => {
    for (const stop of stops.splice(0)) stop();
  };
}
