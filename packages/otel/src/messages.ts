/** Messages of the channels of `@retry/inprocess/node` and `@retry/worker`, as far as they are read here. */

/** An event of a call in this process. */
export interface CallMessage {
  readonly name: string;
  /** One list for all events of a call, and of no other. */
  readonly arguments: readonly unknown[];
  readonly elapsedMs: number;
  readonly attemptMs: number;
  readonly attempt: number;
  readonly error?: unknown;
  readonly delayMs?: number;
  readonly reason?: string;
  readonly askedBy?: 'server';
  /** The request of a call of `createRetryFetch`. */
  readonly request?: { readonly method: string; readonly url: string };
}

/** An attempt of a call in this process, before its function is called. */
export interface AttemptingMessage {
  readonly name: string;
  /** The list that the events of the call have, too. */
  readonly arguments: readonly unknown[];
  readonly attempt: number;
  call: () => unknown;
}

/** A claim that has returned runs. */
export interface ClaimedMessage {
  readonly worker: string;
  readonly durationMs: number;
  readonly runs: readonly {
    readonly id: string;
    readonly lane: string;
    readonly context?: string | undefined;
  }[];
}

/** A call that submits runs. */
export interface SubmittingMessage {
  readonly task: string;
  readonly version: string;
  readonly ids: readonly string[];
  context?: string | undefined;
  send: () => Promise<unknown>;
}

/** What every event of a worker about a run says. */
export interface RunMessage {
  readonly id: string;
  readonly task: string;
  readonly version: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly error?: unknown;
  readonly delayMs?: number;
  readonly reason?: string;
  readonly askedBy?: 'server';
  readonly next?: string;
  /** Whether the run, which has failed, is not kept as a dead letter. */
  readonly isDisposable?: boolean;
  readonly latenessMs?: number;
  readonly lateBecause?: string;
}

/** A call of a handler. */
export interface HandlingMessage extends RunMessage {
  readonly context: string | undefined;
  readonly previousContext: string | undefined;
  attemptContext?: string | undefined;
  call: () => unknown;
}

/** An error group of dead letters that is new or has doubled. */
export interface GroupMessage {
  readonly task: string;
  readonly count: number;
  readonly group: { readonly id: string };
}
