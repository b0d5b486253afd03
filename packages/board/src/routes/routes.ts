import type { Right, Route, Routes } from '../api.ts';
import type { Call } from './call.ts';
import { group, groups } from './groups.ts';
import { hold, resume } from './lanes.ts';
import { changeOperation, operation, operations } from './operations.ts';
import { overview, rights, workers } from './overview.ts';
import { applyPlan, makePlan } from './plans.ts';
import { replayPolicy } from './replay/replay.ts';
import { retries } from './retries.ts';
import { cancel, discard, redrive, reschedule, resubmit, runNow } from './run/run-acts.ts';
import { run, unmask } from './run/runs.ts';
import { removeSchedule, schedules } from './schedules.ts';
import { search } from './search/search.ts';
import { storm } from './storm.ts';

/** What a route needs, and what it does. */
export interface RouteRule<Answer = unknown> {
  /** One of these; which of several is for `answer` to say. Empty: anyone whom the board answers. */
  readonly rights: readonly Right[];
  readonly answer: (call: Call) => Promise<Answer>;
  /** The most bytes of its body. @default 65536 */
  readonly maxBodyBytes?: number;
}

/** A payload of 1 MiB, every character of which is escaped once. */
const A_PAYLOAD_BYTES = 2_097_152;

const EITHER = ['redrive', 'discard'] as const;

/** Every route. Those that are no `GET` are refused unless the board's own page has sent them. */
export const ROUTES: { readonly [Name in Route]: RouteRule<Routes[Name]['answer']> } = {
  'GET rights': { rights: [], answer: rights },
  'GET overview': { rights: ['read'], answer: ({ desk }) => overview(desk) },
  'GET workers': { rights: ['read'], answer: ({ desk }) => workers(desk) },
  'GET groups': { rights: ['read'], answer: groups },
  'GET groups/:lane/:id': { rights: ['read'], answer: group },
  'POST plans': { rights: EITHER, answer: makePlan },
  'POST plans/:id/apply': { rights: EITHER, answer: applyPlan },
  'GET operations': { rights: ['read'], answer: ({ desk }) => operations(desk) },
  'GET operations/:id': { rights: ['read'], answer: operation },
  'POST operations/:id/pause': { rights: EITHER, answer: changeOperation('pause') },
  'POST operations/:id/resume': { rights: EITHER, answer: changeOperation('resume') },
  'POST operations/:id/cancel': { rights: EITHER, answer: changeOperation('cancel') },
  'GET runs/:id': { rights: ['read'], answer: run },
  'POST runs/:id/unmask': { rights: ['unmask'], answer: unmask },
  'POST runs/:id/run-now': { rights: ['edit'], answer: runNow },
  'POST runs/:id/reschedule': { rights: ['edit'], answer: reschedule },
  'POST runs/:id/cancel': { rights: ['cancel'], answer: cancel },
  'POST runs/:id/resubmit': { rights: ['edit'], answer: resubmit, maxBodyBytes: A_PAYLOAD_BYTES },
  'POST runs/:id/redrive': { rights: ['redrive'], answer: redrive },
  'POST runs/:id/discard': { rights: ['discard'], answer: discard },
  'GET retries': {
    rights: ['read'],
    answer: ({ desk, query }) => retries(desk, query.get('lane') ?? undefined),
  },
  'GET storm': { rights: ['read'], answer: ({ desk }) => storm(desk) },
  'POST lanes/hold': { rights: ['hold'], answer: hold },
  'POST lanes/resume': { rights: ['hold'], answer: resume },
  'GET schedules': { rights: ['read'], answer: schedules },
  'POST schedules/:id/remove': { rights: ['edit'], answer: removeSchedule },
  'GET search': { rights: ['read'], answer: search },
  'POST replay': { rights: ['read'], answer: replayPolicy },
  'GET acts': { rights: ['read'], answer: async ({ desk }) => desk.acts.latest() },
};

/** The names of the routes. */
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly Route[]; // its keys

/** The methods of each path, as the header `Allow` lists them. */
export const METHODS_BY_PATH: ReadonlyMap<string, string> = methodsByPath([...ROUTE_NAMES, 'GET events']);

function methodsByPath(routes: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    const methods = method === 'GET' ? 'GET, HEAD' : method;
    const others = found.get(path);
    found.set(path, others === undefined ? methods : `${others}, ${methods}`);
  }
  return found;
}
