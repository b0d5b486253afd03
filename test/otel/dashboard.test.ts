import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../packages/otel/src/metrics.ts';
import { readText } from '../support/repository.ts';

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const SUFFIXES = ['_total', '_seconds_bucket', ''];
/** Functions and keywords of PromQL that the queries use. */
const WORDS = new Set(['sum', 'min', 'max', 'by', 'rate', 'increase', 'histogram_quantile', 'le', 'm', 'h']);

const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
);
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const inProm = Object.values(METRICS).map((name) => name.replaceAll('.', '_'));

/** The names of metrics in a query: what is no label and no word of the language. */
function metricsIn(query: string): readonly string[] {
  const withoutLabels = query
    .replace(/by \([^)]*\)/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '');
  return (withoutLabels.match(/[a-z_]{2,}/g) ?? []).filter((word) => !WORDS.has(word));
}

describe('the dashboard for Grafana', () => {
  it.each(queries)('asks for metrics that there are: %s', (query) => {
    const names = metricsIn(query);

    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(
        inProm.some((metric) => SUFFIXES.some((suffix) => name === `${metric}${suffix}`)),
        name,
      ).toBe(true);
  });

  it.each(inProm)('shows %s', (metric) => {
    expect(queries.flatMap(metricsIn).some((name) => name.startsWith(metric))).toBe(true);
  });

  it.each(Object.values(METRICS))('is described with %s in the documentation', (name) => {
    expect(readText('docs/opentelemetry.md')).toContain(`\`${name}\``);
  });
});
