/** Where a queue is. */
export interface Place {
  readonly engine: string;
  readonly address: string;
  readonly name: string;
}

/** What happens in a worker process, at an instant in epoch milliseconds. */
export interface Fact {
  readonly type: 'ready' | 'start' | 'end' | 'stalled' | 'fenced';
  readonly id: string;
  readonly at: number;
}

/** Notes a fact; resolves when it has left the process, which may be blocked from then on. */
export type Note = (type: Fact['type'], id: string) => Promise<void>;

/** What a process can be asked besides. */
export interface Working {
  /** Works off so many empty runs, which a submitter has filled in. */
  readonly rate?: (count: number) => Promise<Rate>;
}

/** How fast runs were worked off. */
export interface Rate {
  readonly perSecond: number;
  /** Microseconds of processor time of each run, in all threads of the process. */
  readonly cpuUs: number;
}

/** Submits blocks and tells what became of them. */
export interface Submitter {
  /** Submits so many empty runs, which are on hold until they are worked off. */
  readonly fill?: (count: number) => Promise<void>;
  readonly submit: (blockMs: number) => Promise<string>;
  /** Returns the state that a run has ended in, `undefined` while it has not. */
  readonly endOf: (id: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** A queue library, with handlers that block. */
export interface System {
  readonly open: (place: Place) => Promise<Submitter>;
  /** Starts a worker in this process. */
  readonly work: (place: Place, note: Note) => Promise<Working>;
}

/** Computes for so long without a pause. */
export function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
