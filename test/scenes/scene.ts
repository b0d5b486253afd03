import type { PolicyInput } from '@retry/core';

/** The context of an attempt, in process and in a worker. */
export interface Attempt {
  /** Counted from 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** A policy and how each attempt under it goes. */
export interface Scene {
  readonly name: string;
  readonly policy: PolicyInput;
  /** Throws, hangs or returns. */
  readonly act: (attempt: Attempt) => unknown;
  readonly expected: Ending;
}

/** How a piece of work ended. */
export interface Ending {
  readonly attempts: number;
  /** The delays that were decided on, in ms. */
  readonly delays: readonly number[];
  /** `completed`, or the reason why it was given up. */
  readonly end: string;
  /** The name of the last error, when it was given up. */
  readonly error?: string | undefined;
  /** The names of the errors that its caller or its worker is told of beside; absent where there are none. */
  readonly reported?: readonly string[] | undefined;
}

/** Where scenes are played. */
export interface Arena {
  readonly play: (scene: Scene) => Promise<Played>;
}

/** How a scene went. */
export interface Played {
  readonly ending: Ending;
  /** From the call, or the submission, to the start of the first attempt, in ms. */
  readonly firstWaitMs: number;
}

/** The draw of every arena. */
export const random = (): number => 0.25;

/** Rejects with the reason of the signal when it aborts. */
export function hang({ signal }: Attempt): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The name of anything that was thrown. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}
