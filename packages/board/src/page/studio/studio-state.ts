import { effect, type Signal, signal } from '@preact/signals-core';
import type { Herd, HerdWorld } from './engine/herd.ts';
import type { Inspection } from './engine/inspect.ts';
import { createEngine, type Engine } from './engine-client.ts';

/** What the address of a studio has, so that a link shows the same. */
export interface LinkedStudio {
  /** One text or two; none where the address has none. */
  readonly texts: readonly string[];
  /** Which recorded failures are chosen. */
  readonly failures?: string | undefined;
}

/** Where that is kept. */
export interface StudioLink {
  read(): LinkedStudio;
  write(linked: LinkedStudio): void;
}

/** One policy that is being written. */
export interface Draft {
  /** `policy`, or `other` for the one that it is compared with. */
  readonly id: string;
  readonly text: Signal<string>;
  readonly inspection: Signal<Inspection | undefined>;
}

/** Everything that the studio shows. */
export interface StudioState {
  readonly drafts: Signal<readonly Draft[]>;
  /** Milliseconds of one attempt; undefined: none was given. */
  readonly attemptMs: Signal<number | undefined>;
  /** The id of the recorded failures that are chosen; undefined: none was chosen yet. */
  readonly failures: Signal<string | undefined>;
  readonly world: Signal<HerdWorld>;
  readonly herds: Signal<readonly Herd[] | 'running' | undefined>;
  /** Why the engine could not answer; undefined while it can. */
  readonly failure: Signal<string | undefined>;
  readonly engine: Engine;
  addOther(): void;
  removeOther(): void;
  simulate(): void;
}

const EXAMPLE = `{
  "maxAttempts": 6,
  "backoff": { "type": "exponential", "base": "500ms", "factor": 2 },
  "jitter": "full",
  "maxDelay": "30s",
  "attemptTimeout": "10s",
  "retryOn": [
    { "status": [429, 502, 503, 504] },
    { "code": "ECONNRESET" }
  ]
}
`;

/** The documentation's storm: users of a server that is down for half a minute. */
const WORLD: HerdWorld = {
  traffic: 'open',
  arrivals: 60,
  clients: 200,
  capacity: 100,
  latencyMs: 50,
  trouble: 'outage',
  troubleMs: 30_000,
  attemptTimeoutMs: 3_000,
  hasBudget: false,
};

/** Creates a studio; policies are inspected as they change. */
export function createStudio(createWorker: () => Worker, link: StudioLink): StudioState {
  const engine = createEngine(createWorker);
  const failure = signal<string | undefined>(undefined);
  const attemptMs = signal<number | undefined>(undefined);
  const inspectDraft = (draft: Draft): void => inspectAlways(draft, { engine, failure, attemptMs });
  const linked = link.read();
  const [first = EXAMPLE, second] = linked.texts;
  const failures = signal(linked.failures);
  const drafts = signal([first, ...(second === undefined ? [] : [second])].map(createDraft));
  for (const draft of drafts.value) inspectDraft(draft);
  effect(() => link.write({ texts: drafts.value.map(({ text }) => text.value), failures: failures.value }));
  const add = (): void => {
    const other = createDraft(drafts.value[0]?.text.value ?? EXAMPLE, 1);
    inspectDraft(other);
    drafts.value = [...drafts.value.slice(0, 1), other];
  };
  const world = signal(WORLD);
  const herds: StudioState['herds'] = signal(undefined);
  const simulate = createSimulation({ createWorker, drafts, world, herds, failure });
  const removeOther = (): void => {
    drafts.value = drafts.value.slice(0, 1);
  };
  return {
    ...{ drafts, attemptMs, failures, world, herds, failure, engine },
    ...{ addOther: add, removeOther, simulate },
  };
}

function createDraft(text: string, index: number): Draft {
  return { id: index === 0 ? 'policy' : 'other', text: signal(text), inspection: signal(undefined) };
}

function inspectAlways(
  { text, inspection }: Draft,
  { engine, failure, attemptMs }: Pick<StudioState, 'engine' | 'failure' | 'attemptMs'>,
): void {
  let asked = 0;
  effect(() => {
    asked += 1;
    const mine = asked;
    const options = attemptMs.value === undefined ? {} : { attemptMs: attemptMs.value };
    engine.ask({ type: 'inspect', text: text.value, options }).then(
      (answer) => {
        if (mine !== asked) return;
        failure.value = undefined;
        inspection.value = answer;
      },
      (error: Error) => {
        failure.value = error.message;
      },
    );
  });
}

/** A simulation has a worker of its own: a later one ends the earlier one, and typing waits for neither. */
function createSimulation({
  createWorker,
  drafts,
  world,
  herds,
  failure,
}: Pick<StudioState, 'drafts' | 'world' | 'herds' | 'failure'> & {
  readonly createWorker: () => Worker;
}): () => void {
  let engine: Engine | undefined;
  return () => {
    engine?.close();
    const mine = createEngine(createWorker);
    engine = mine;
    herds.value = 'running';
    const texts = drafts.value.map(({ text }) => text.value);
    mine
      .ask({ type: 'herd', texts, world: world.value })
      .then(
        (answer) => {
          if (engine !== mine) return;
          failure.value = undefined;
          herds.value = answer;
        },
        (error: Error) => {
          if (engine !== mine) return;
          failure.value = error.message;
          herds.value = undefined;
        },
      )
      .finally(() => mine.close());
  };
}
