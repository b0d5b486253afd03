import type { ResumeAnswer } from '@retry/core/broker';
import type { ActRequest } from './run-acts.ts';

/** `POST lanes/hold`: one of `lane` and `all`. */
export interface HoldRequest {
  /** `name@version` of its task. */
  readonly lane?: string;
  readonly all?: true;
  /** `'1h'` or milliseconds. @default until it is resumed */
  readonly for?: string | number;
  /** Why; 1 to 512 bytes. */
  readonly reason: string;
}

/** `POST lanes/resume`: one of both. */
export interface ResumeRequest extends ActRequest {
  /** `name@version` of its task. The holds of every source end. */
  readonly lane?: string;
  /** The holds of all lanes together end, not those of single lanes. */
  readonly all?: true;
}

/** What became of a hold. */
export interface HoldAnswer {
  readonly answer: 'held' | ResumeAnswer;
}
