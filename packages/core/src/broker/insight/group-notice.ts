import type { ErrorGroup } from './groups.ts';

/** An error group that is new, or has doubled. */
export interface GroupNotice extends Omit<ErrorGroup, 'sampleId'> {
  /**
   * - `new`: the group had no dead letters when groups were looked at before
   * - `doubled`: it has at least twice as many as its latest notice said
   */
  readonly kind: 'new' | 'doubled';
  /** The run that ended last, of those that came into the group. It may have left since. */
  readonly sampleId: string;
}
