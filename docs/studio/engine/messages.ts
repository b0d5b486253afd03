import type { Completions } from './complete.ts';
import type { Herd, HerdWorld } from './herd.ts';
import type { Inspection, InspectOptions } from './inspect.ts';
import type { Converted, SystemName } from './read-system.ts';
import type { PastedReplay } from './replay-pasted.ts';

/** What the page asks of the engine. */
export type Question =
  | { readonly type: 'inspect'; readonly text: string; readonly options: InspectOptions }
  | { readonly type: 'complete'; readonly text: string; readonly caret: number }
  | { readonly type: 'herd'; readonly texts: readonly string[]; readonly world: HerdWorld }
  | { readonly type: 'replay'; readonly texts: readonly string[]; readonly pasted: string }
  | { readonly type: 'systems' }
  | { readonly type: 'from'; readonly system: string; readonly text: string };

/** The answer to each type of question. */
export interface Answers {
  readonly inspect: Inspection;
  readonly complete: Completions;
  readonly herd: readonly Herd[];
  readonly replay: PastedReplay;
  readonly systems: readonly SystemName[];
  readonly from: Converted;
}

/** A question with the number that its answer carries. */
export interface Asked {
  readonly id: number;
  readonly question: Question;
}

/** An answer, or the message of the error that there is instead. */
export type Answered =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly problem: string };
