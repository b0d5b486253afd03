import type { LiveAnswer, LivePath } from '../api.ts';
import type { Desk, ReadCall } from '../routes/call.ts';
import { group, groups } from '../routes/groups.ts';
import { operations } from '../routes/operations.ts';
import { overview, workers } from '../routes/overview.ts';
import { checkQuery } from '../routes/query.ts';
import { retries } from '../routes/retries.ts';
import { run } from '../routes/run/runs.ts';
import { schedules } from '../routes/schedules.ts';
import { storm } from '../routes/storm.ts';

/** Reads a topic. */
export type Reading = (desk: Desk) => Promise<unknown>;

const ROUTES: { readonly [Path in LivePath]: (call: ReadCall) => Promise<LiveAnswer<Path>> } = {
  overview: ({ desk }) => overview(desk),
  workers: ({ desk }) => workers(desk),
  groups,
  'groups/:lane/:id': group,
  operations: ({ desk }) => operations(desk),
  retries: ({ desk, query }) => retries(desk, query.get('lane') ?? undefined),
  schedules,
  storm: ({ desk }) => storm(desk),
  'runs/:id': run,
};

/** Returns what reads a topic; `undefined` for text that is none, or is not encoded in the one way that makes it the same for all. */
export function readingOf(topic: string): Reading | undefined {
  const [path = '', written] = topic.split(/\?(.*)/s);
  const query = new URLSearchParams(written);
  if (written !== undefined && query.toString() !== written) return undefined;
  for (const [pattern, read] of Object.entries(ROUTES)) {
    const params = paramsOf(pattern, path);
    if (params === undefined) continue;
    return async (desk) => {
      checkQuery(`GET ${pattern as LivePath}`, query); // a key of the table
      return read({ desk, query, param: (name) => params[name] ?? '' });
    };
  }
  return undefined;
}

function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (!name.startsWith(':')) {
      if (name !== part) return undefined;
      continue;
    }
    const decoded = decode(part);
    if (decoded === undefined) return undefined;
    params[name.slice(1)] = decoded;
  }
  return params;
}

function decode(part: string): string | undefined {
  try {
    const decoded = decodeURIComponent(part);
    return decoded !== '' && encodeURIComponent(decoded) === part ? decoded : undefined;
  } catch {
    return undefined;
  }
}
