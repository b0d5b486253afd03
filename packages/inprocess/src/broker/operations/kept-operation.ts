import type { OperationRequest } from '@retry/core/broker';
import type { OperationFigures } from '@retry/core/broker/kit';

/** An operation on dead letters. */
export interface KeptOperation {
  readonly request: OperationRequest;
  figures: OperationFigures;
  /** That of the latest claim, and of the latest step that was accepted. */
  epoch: number;
  stepped: number;
  /** Where the next step begins. */
  progress: string | undefined;
}
