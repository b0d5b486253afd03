import type { PolicyInput } from '@retry/core';

/** What a visitor may do. */
export interface Rights {
  /** See everything that the board shows, masked; replay another policy. */
  readonly read: boolean;
  /** Redrive dead letters; pause, resume and cancel operations that redrive. */
  readonly redrive: boolean;
  /** Discard dead letters; pause, resume and cancel operations that discard. */
  readonly discard: boolean;
  /** Cancel runs. */
  readonly cancel: boolean;
  /** Put lanes on hold, and resume them. */
  readonly hold: boolean;
  /** Start a waiting run now or at another time; submit a run once more, with another payload; remove a schedule. */
  readonly edit: boolean;
  /** See payloads, results, messages and stacks as they are stored, and search them. */
  readonly unmask: boolean;
}

/** The name of a right. */
export type Right = keyof Rights;

/** `GET rights`: the first thing that the page asks. */
export interface RightsAnswer {
  readonly rights: Rights;
  /** Who the visitor is, if `access` said so; acts are recorded with it. */
  readonly by?: string;
  /** Which queue it is, if the board was given a name. */
  readonly name?: string;
  /** Now by the broker's clock, from which the page counts; absent where the broker did not answer within a second. */
  readonly at?: number;
  /** How the page writes instants. */
  readonly times: 'local' | 'utc';
  /** The tasks that the board was given. */
  readonly tasks: readonly KnownTask[];
  /** Absent where it runs from its sources. */
  readonly version?: string;
}

/** A task whose policy the board knows. */
export interface KnownTask {
  readonly task: string;
  readonly version: string;
  /** `name@version`. */
  readonly lane: string;
  /** Absent where it has classes or functions, which JSON cannot have. */
  readonly policy?: PolicyInput;
}
