import { deepStrictEqual } from 'node:assert';
import type {
  Broker,
  Change,
  ChangeOptions,
  ExchangeReply,
  ExchangeRequest,
  GroupPage,
  GroupsQuery,
  LaneReport,
  LanesQuery,
  ListQuery,
  Note,
  Notes,
  NotesQuery,
  NoteWrite,
  ReadFigures,
  Reading,
  Run,
  RunPage,
} from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { figuresBy, getBy, listHolds } from '@retry/core/broker/kit';
import { sourcesOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { LIMITED_LANE } from './broker-model.ts';

/** Two brokers as one that returns the answers of the first, and rejects when the second answers differently. */
export function pairBrokers(first: Broker, second: Broker): Broker {
  const both = async <Answer>(verb: string, call: (broker: Broker) => Promise<Answer>): Promise<Answer> => {
    const [one, other] = [await call(first), await call(second)];
    deepStrictEqual(bare(one, second), bare(other), `${verb} is answered differently`);
    return one;
  };
  const versions = createVersions();
  return {
    submit: (submissions, options) => both('submit', (broker) => broker.submit(submissions, options)),
    exchange: async (request) => {
      if (request.claim?.lanes.size !== 0) return exchangeBoth(first, second, request);
      // Of a claim that is repeated, a broker may leave out the runs that its worker no longer holds.
      await second.exchange(request);
      return first.exchange(request);
    },
    heartbeat: (beats, leaseMs) => both('heartbeat', (broker) => broker.heartbeat(beats, leaseMs)),
    // The order of leases that end at the same instant is not specified.
    findExpired: (limit, scope) =>
      both('findExpired', async (broker) => byId(await broker.findExpired(limit, scope))),
    notes: pairNotes(first.notes, second.notes, versions),
    reserve: (requests) => both('reserve', (broker) => broker.reserve(requests)),
    change: (changes, options) => changeBoth(first, second, { changes, options, versions }),
    get: getBy({
      runs: (ids, options) => both('get', (broker) => broker.get(ids, options)),
      seen: (ids) => readBoth(first, second, ids),
    }),
    list: (query) => listBoth(first, second, query),
    wait: first.wait,
    // Whether runs that wait for a concurrency key count is not specified.
    attend: async (attendance) => {
      await second.attend(attendance);
      return first.attend(attendance);
    },
    audit: () => both('audit', (broker) => broker.audit()),
    ...(first.figures && { figures: pairFigures(first.figures, second.figures) }),
    isRefusal: first.isRefusal,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** Versions are the broker's own: that of the second is known by the one of the first which was written by the same call. */
interface Versions {
  readonly known: Map<number, number>;
  /** The writes as the second broker is to get them. */
  readonly writesOfSecond: (writes: readonly NoteWrite[]) => readonly NoteWrite[];
}

function createVersions(): Versions {
  const known = new Map([[0, 0]]);
  return {
    known,
    writesOfSecond: (writes) =>
      writes.map(({ seen, ...write }) =>
        seen === undefined ? write : { ...write, seen: known.get(seen) ?? Number.MAX_SAFE_INTEGER },
      ),
  };
}

function pairNotes(first: Notes, second: Notes, { known: versions, writesOfSecond }: Versions): Notes {
  const ofSecond = (version: number): number => versions.get(version) ?? Number.MAX_SAFE_INTEGER;
  return {
    // A page may have less than asked for, where notes have expired; all pages of both have the same.
    read: async (query) => {
      if (query.after === undefined) {
        const [ones, others] = [await readAllNotes(first, query), await readAllNotes(second, query)];
        // Those of `attend`, and those that were written with runs, are read for the first time.
        for (const { key, version } of ones)
          if (!versions.has(version))
            versions.set(version, others.find((other) => other.key === key)?.version ?? 0);
        const notes = ones.map((note) => ({ ...note, version: ofSecond(note.version) }));
        deepStrictEqual(notes, others, 'notes.read is answered differently');
      }
      return first.read(query);
    },
    write: async (writes) => {
      const [one, other] = [await first.write(writes), await second.write(writesOfSecond(writes))];
      if (one.outcome === 'written' && other.outcome === 'written') {
        for (const [index, version] of one.versions.entries())
          versions.set(version, other.versions[index] ?? 0);
        return one;
      }
      deepStrictEqual(bare(one), bare(other), 'notes.write is answered differently');
      return one;
    },
  };
}

async function readAllNotes(notes: Notes, query: NotesQuery): Promise<readonly Note[]> {
  const page = await notes.read(query);
  if (page.next === undefined) return page.notes;
  if (page.next === query.after) throw new Error(`a page of notes ends where it began, at ${page.next}`);
  return [...page.notes, ...(await readAllNotes(notes, { ...query, after: page.next }))];
}

function pairFigures(first: ReadFigures, second: ReadFigures | undefined): ReadFigures {
  const [one, other] = [sourcesOf(first), second && sourcesOf(second)];
  const both = async <Answer>(
    name: string,
    call: (sources: FigureSources) => Promise<Answer>,
  ): Promise<Answer> => {
    const answer = await call(one);
    if (other !== undefined)
      deepStrictEqual(bare(answer), bare(await call(other)), `figures: ${name} are answered differently`);
    return answer;
  };
  return figuresBy({
    lanes: (query) => lanesOfBoth(one, other, query),
    attempts: (query) => both('attempts', (sources) => sources.attempts(query)),
    dueTimes: (query) => both('dueTimes', (sources) => sources.dueTimes(query)),
    groups: (query) => groupsBoth(one, other, query),
  });
}

/**
 * How many of the runs that wait are put aside is not specified: a broker may return more of them to a lane than can start. Those that it
 * has returned are claimable.
 */
async function lanesOfBoth(
  first: FigureSources,
  second: FigureSources | undefined,
  query: LanesQuery,
): Promise<LaneReport> {
  const one = await first.lanes(query);
  if (second === undefined) return one;
  const other = await second.lanes(query);
  const partly = new Set(
    [...one.lanes, ...other.lanes].filter(({ parked }) => parked.count > 0).map(({ lane }) => lane),
  );
  const compared = ({ lanes, ...report }: LaneReport) => ({
    ...report,
    lanes: lanes.map(({ parked: _, oldestClaimableAgeMs, ...figures }) => ({
      ...figures,
      oldestClaimableAgeMs: partly.has(figures.lane) ? undefined : oldestClaimableAgeMs,
    })),
  });
  deepStrictEqual(bare(compared(one)), bare(compared(other)), 'figures: lanes are answered differently');
  return one;
}

/** A page of both: cursors differ, what is on the pages does not. */
async function groupsBoth(
  first: FigureSources,
  second: FigureSources | undefined,
  { after, ...query }: GroupsQuery,
): Promise<GroupPage> {
  if (second === undefined) return first.groups(after === undefined ? query : { ...query, after });
  const [one, other] = after === undefined ? [] : (JSON.parse(after) as readonly string[]); // as written below
  const { next: left, ...page } = await first.groups(one === undefined ? query : { ...query, after: one });
  const { next: right, ...same } = await second.groups(
    other === undefined ? query : { ...query, after: other },
  );
  deepStrictEqual(
    bare(page),
    bare(same),
    `figures: groups ${JSON.stringify(query)} are answered differently`,
  );
  deepStrictEqual(left === undefined, right === undefined, 'only one of the brokers has more groups');
  return left === undefined ? page : { ...page, next: JSON.stringify([left, right]) };
}

/**
 * While a lane is on hold, `nextRunAt` depends on whether runs wait in it; whether those that wait for a concurrency key count is
 * not specified.
 */
async function exchangeBoth(first: Broker, second: Broker, request: ExchangeRequest): Promise<ExchangeReply> {
  const isOnHold = (await listHolds(first)).length > 0;
  const [one, other] = [await first.exchange(request), await second.exchange(request)];
  const compared = isOnHold ? { ...one, nextRunAt: other.nextRunAt } : one;
  deepStrictEqual(bare(compared, second), bare(other), 'exchange is answered differently');
  return one;
}

const SEEN = { answer: 'seen' } as const;

/** What both return of the runs; what they recognise them by differs, and each is given its own again. */
async function readBoth(first: Broker, second: Broker, ids: readonly string[]): Promise<Reading> {
  const [one, other] = [await first.get(ids, SEEN), await second.get(ids, SEEN)];
  const runsOf = ({ runs }: Reading) => runs.map((seen) => seen?.run);
  deepStrictEqual(bare(runsOf(one), second), bare(runsOf(other)), 'get for a change is answered differently');
  const runs = one.runs.map((run, index) => {
    return run && { ...run, seen: JSON.stringify([run.seen, other.runs[index]?.seen]) };
  });
  return { now: one.now, runs };
}

interface ChangeCall {
  readonly changes: readonly Change[];
  readonly options: ChangeOptions | undefined;
  readonly versions: Versions;
}

async function changeBoth(
  first: Broker,
  second: Broker,
  { changes, options, versions }: ChangeCall,
): ReturnType<Broker['change']> {
  const seenBy = (index: number) =>
    changes.map((change) => ({ ...change, seen: String((JSON.parse(change.seen) as unknown[])[index]) })); // as written above
  const same = options?.notes && { notes: versions.writesOfSecond(options.notes) };
  const [one, other] = [await first.change(seenBy(0), options), await second.change(seenBy(1), same)];
  deepStrictEqual(one, other, 'change is answered differently');
  return one;
}

/**
 * A page of the first. Where the order is specified, each page of the second is the same. Elsewhere all pages of both have the same
 * runs.
 */
async function listBoth(first: Broker, second: Broker, query: ListQuery): Promise<RunPage> {
  const message = `list ${JSON.stringify(query)} is answered differently`;
  if (query.errorGroup !== undefined && second.figures === undefined) return first.list(query);
  if (!ORDERED.includes(query.state)) {
    if (query.after === undefined) {
      const [one, other] = [await listAll(first, query), await listAll(second, query)];
      // Those of an error group have an order in common; how many runs a page looks at is the broker's own.
      const inOrder = query.errorGroup === undefined ? byId : (runs: readonly Run[]) => runs;
      deepStrictEqual(bare(inOrder(one), second), bare(inOrder(other)), message);
    }
    return first.list(query);
  }
  const { after = NONE, ...rest } = query;
  if (query.state === 'submitted' && (await listAll(first, rest)).some(hasTurns)) {
    if (after === NONE) await compareTurns(first, second, rest);
    return first.list(query);
  }
  const [one, other] = JSON.parse(after) as readonly [string | null, string | null]; // as written below
  const left = await first.list(one === null ? rest : { ...rest, after: one });
  const right = await second.list(other === null ? rest : { ...rest, after: other });
  deepStrictEqual(bare(left.runs, second), bare(right.runs), message);
  if (left.next === undefined || right.next === undefined) {
    // A page that is full may be followed by an empty one.
    for (const [broker, { next }] of [[first, left] as const, [second, right] as const])
      if (next !== undefined) deepStrictEqual(await listAll(broker, { ...rest, after: next }), [], message);
    return { runs: left.runs };
  }
  return { runs: left.runs, next: JSON.stringify([left.next, right.next]) };
}

/** Where runs stand that are behind the turn of their fairness key is not specified; those without one are in order. */
async function compareTurns(first: Broker, second: Broker, query: ListQuery): Promise<void> {
  const inOrder = (runs: readonly Run[]) => [
    runs.filter((run) => !hasTurns(run)),
    byId(runs.filter(hasTurns)),
  ];
  const [one, other] = [await listAll(first, query), await listAll(second, query)];
  const message = `list ${JSON.stringify(query)} is answered differently`;
  deepStrictEqual(bare(inOrder(one), second), bare(inOrder(other)), message);
}

function hasTurns({ fairnessKey }: Run): boolean {
  return fairnessKey !== undefined;
}

const NONE = '[null,null]';

/** The states whose order is specified exactly. Of ended runs that one call ends it is not. */
const ORDERED: readonly string[] = ['submitted', 'scheduled'];

async function listAll(broker: Broker, query: ListQuery): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (let after = query.after; ; ) {
    const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
    found.push(...runs);
    if (next === undefined) return found;
    after = next;
  }
}

/** Without the keys that are undefined, which are absent for a reader, and without error groups that the other broker has not. */
function bare(value: unknown, other?: Broker): unknown {
  if (value === undefined) return value;
  const hasGroups = other === undefined || other.figures !== undefined;
  return JSON.parse(JSON.stringify(value), (key, field) =>
    key === 'errorGroup' && !hasGroups ? undefined : withoutWaitingLimit(field),
  );
}

/**
 * A run without the limit of its task, unless it is started: a claim gives it to the runs that it starts, and to which of those that wait
 * is not specified.
 */
function withoutWaitingLimit(value: unknown): unknown {
  const { lane, state, concurrency }: Partial<Run> = Object(value);
  const isOfTask = lane === LIMITED_LANE && concurrency?.key === LIMITED_LANE;
  if (!isOfTask || state === undefined || state === 'started') return value;
  const { concurrency: _, ...others } = Object(value);
  return others;
}

function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((left, right) => (left.id < right.id ? -1 : 1));
}
