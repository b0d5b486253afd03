import type { Broker, Operation } from '@retry/core/broker';
import type { AnyTask, Plan, Queue } from '@retry/worker';
import type { Acts } from '../access/acts.ts';
import type { Visitor } from '../access/rights.ts';
import type { ApplyRequest, LaneAttempts, Right, Rights, Trend } from '../api.ts';
import { forbidden } from '../errors.ts';
import type { Mask } from '../show/mask.ts';
import type { KeptForWhile } from './kept-for-while.ts';
import { numberOf } from './query.ts';
import type { OneByOne } from './replay/in-turns.ts';

/** A plan, and what has come of it. */
export interface KeptPlan {
  readonly plan: Plan;
  /** The operation that came of it. A plan is applied once: pressing the button twice answers the same operation twice. */
  applied?: { readonly kind: ApplyRequest['kind']; readonly operation: Promise<Operation> } | undefined;
}

/** What the routes of a board work with. */
export interface Desk {
  readonly broker: Broker;
  readonly queue: Queue;
  /** The known tasks by their lanes. */
  readonly tasks: ReadonlyMap<string, AnyTask>;
  readonly mask: Mask;
  readonly acts: Acts;
  readonly times: 'local' | 'utc';
  readonly name: string | undefined;
  readonly plans: KeptForWhile<KeptPlan>;
  /** The trends of error groups, by lane and id. */
  readonly trends: KeptForWhile<Trend>;
  /** What was counted of the runs that wait, by lane. */
  readonly attempts: KeptForWhile<LaneAttempts>;
  /** Replays keep the processor busy: one is done after the other. */
  readonly replays: OneByOne;
}

/** One request of a visitor, and what its route has to know. */
export interface Call {
  readonly desk: Desk;
  readonly visitor: Visitor;
  /** What the path names, decoded. */
  readonly param: (name: string) => string;
  readonly query: URLSearchParams;
  /** The JSON of the request; `undefined` for a GET. */
  readonly body: unknown;
}

/** What a route needs whose answer is the same for all visitors. */
export type ReadCall = Pick<Call, 'desk' | 'param' | 'query'>;

/** @throws {BoardError} `FORBIDDEN` */
export function demand({ rights }: { readonly rights: Rights }, right: Right): void {
  if (!rights[right]) throw forbidden(right);
}

/** The page options of a query: `limit` as a number, and `after`. */
export function pageOf(query: URLSearchParams): { readonly limit?: number; readonly after?: string } {
  const limit = query.get('limit');
  const after = query.get('after');
  // Checked by the queue, or by the search.
  return { ...(limit !== null && { limit: numberOf(limit) as number }), ...(after !== null && { after }) };
}

/** The parts of a query that are given, by these names. */
export function given<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): { readonly [Each in Name]?: string } {
  const found = names.map((name) => [name, query.get(name)] as const).filter(([, value]) => value !== null);
  return Object.fromEntries(found) as { readonly [Each in Name]?: string }; // null is left out
}
