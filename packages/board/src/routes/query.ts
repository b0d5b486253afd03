import { readOptions } from '@retry/core/fields';
import type { Route } from '../api.ts';

const PAGE = ['limit', 'after'];

/** The keys of each route's query; other routes have none. */
const KEYS: { readonly [Name in Route]?: readonly string[] } = {
  'GET groups': ['task', 'version', ...PAGE],
  'GET groups/:lane/:id': ['state', ...PAGE],
  'GET runs/:id': ['whole'],
  'POST runs/:id/unmask': ['whole'],
  'GET retries': ['lane'],
  'GET schedules': PAGE,
  'GET search': ['text', 'state', 'task', 'version', 'attempt', 'from', 'to', ...PAGE],
};

/** Whose `state` may be given several times. */
const SEVERAL_STATES: Route = 'GET search';

/**
 * Checks the query of a request.
 *
 * @throws {InvalidOptionsError} listing the keys that its route does not know, those that are given more than once, and a `whole` other than 1
 */
export function checkQuery(route: Route, query: URLSearchParams): void {
  const keys = KEYS[route] ?? [];
  readOptions(Object.fromEntries(query), { subject: `query of ${route}`, keys }, (fields) => {
    if (keys.includes('whole') && (query.get('whole') ?? '1') !== '1') {
      fields.fail('whole', 'must be 1', 'Leave it out for the beginning alone.');
    }
    for (const key of keys) {
      if ((key === 'state' && route === SEVERAL_STATES) || query.getAll(key).length < 2) continue;
      fields.fail(key, 'must be given once', 'Leave the others out.');
    }
  });
}

/** Returns the number that a part of a query is; the text itself for anything but decimal digits, which no rule takes for a number. */
export function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
