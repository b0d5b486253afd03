import { computed, effect, type Signal, signal } from '@preact/signals-core';
import type { Herd, HerdWorld } from './engine/herd.ts';
import type { Inspection } from './engine/inspect.ts';
import { createEngine, type Engine } from './engine-client.ts';

/** Where the texts of a studio are kept, so that a link shows the same: one or two; none at the beginning. */
export interface StudioLink {
  read(): readonly string[];
  write(texts: readonly string[]): void;
  /** Calls back when another link was followed, or pasted. @returns what ends it */
  listen(change: () => void): () => void;
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
  readonly world: Signal<HerdWorld>;
  readonly herds: Signal<readonly Herd[] | HerdProblem | 'running' | undefined>;
  /** Why the engine could not answer; undefined while it can. */
  readonly failure: Signal<string | undefined>;
  readonly engine: Engine;
  addOther(): void;
  removeOther(): void;
  simulate(): void;
  /** Ends its workers. */
  close(): void;
}

/** Why a herd could not be simulated. */
export interface HerdProblem {
  readonly problem: string;
}

/** The longest that a question may keep the engine busy. */
const ANSWER_WITHIN_MS = 5_000;

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
  const state = createSignals(createWorker);
  const { drafts } = state;
  const ends: (() => void)[] = [];
  const begin = (text: string, index: number): Draft => {
    const draft = createDraft(text, index);
    ends.push(inspectAlways(draft, state));
    return draft;
  };
  const show = (texts: readonly string[]): void => {
    drafts.value = texts.slice(0, 2).map((text, index) => {
      const draft = drafts.value[index] ?? begin(text, index);
      draft.text.value = text;
      return draft;
    });
  };
  const texts = link.read();
  show(texts.length === 0 ? [EXAMPLE] : texts);
  const simulation = createSimulation(createWorker, state);
  ends.push(keepLinked(link, { drafts, show }), stopWhenChanged(drafts, simulation), state.engine.close);
  const first = (): string => drafts.value[0]?.text.value ?? EXAMPLE;
  return {
    ...state,
    ...{ addOther: () => show([first(), first()]), removeOther: () => show([first()]) },
    ...{ simulate: simulation.run, close: () => endAll(ends) },
  };
}

type Signals = Omit<StudioState, 'addOther' | 'removeOther' | 'simulate' | 'close'>;

function createSignals(createWorker: () => Worker): Signals {
  return {
    drafts: signal<readonly Draft[]>([]),
    attemptMs: signal<number | undefined>(undefined),
    world: signal(WORLD),
    herds: signal(undefined),
    failure: signal<string | undefined>(undefined),
    engine: createEngine(createWorker, ANSWER_WITHIN_MS),
  };
}

interface Shown extends Pick<StudioState, 'drafts'> {
  readonly show: (texts: readonly string[]) => void;
}

/** Keeps the link as it is shown, and shows another one. */
function keepLinked(link: StudioLink, { drafts, show }: Shown): () => void {
  const write = (): void => link.write(drafts.value.map(({ text }) => text.value));
  const ends = [
    effect(write),
    link.listen(() => {
      show(link.read());
      write();
    }),
  ];
  return () => endAll(ends);
}

/** A herd of an earlier policy says nothing about the one that is written. */
function stopWhenChanged(drafts: StudioState['drafts'], { stop }: Simulation): () => void {
  const written = computed(() => JSON.stringify(drafts.value.map(({ text }) => text.value)));
  // What an effect returns is called before it runs again, and when it ends.
  return effect(() => (written.value === '' ? undefined : stop));
}

function endAll(ends: readonly (() => void)[]): void {
  for (const end of ends) end();
}

function createDraft(text: string, index: number): Draft {
  return { id: index === 0 ? 'policy' : 'other', text: signal(text), inspection: signal(undefined) };
}

function inspectAlways(
  { text, inspection }: Draft,
  { engine, failure, attemptMs }: Pick<StudioState, 'engine' | 'failure' | 'attemptMs'>,
): () => void {
  let asked = 0;
  return effect(() => {
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

interface Simulation {
  readonly run: () => void;
  readonly stop: () => void;
}

/** A simulation has a worker of its own: a later one ends the earlier one, and typing waits for neither. */
function createSimulation(
  createWorker: () => Worker,
  { drafts, world, herds }: Pick<StudioState, 'drafts' | 'world' | 'herds'>,
): Simulation {
  let engine: Engine | undefined;
  const stop = (): void => {
    engine?.close();
    engine = undefined;
    herds.value = undefined;
  };
  const run = (): void => {
    stop();
    const mine = createEngine(createWorker);
    engine = mine;
    herds.value = 'running';
    const end = (result: readonly Herd[] | HerdProblem): void => {
      if (engine !== mine) return;
      stop();
      herds.value = result;
    };
    const texts = drafts.value.map(({ text }) => text.value);
    mine
      .ask({ type: 'herd', texts, world: world.value })
      .then(end, ({ message }: Error) => end({ problem: message }));
  };
  return { run, stop };
}
