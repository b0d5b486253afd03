import type { ErrorGroup } from './groups.ts';

/** An error group that is new, or has doubled. */
export interface GroupNotice extends ErrorGroup {
  /**
   * - `new`: the group had no dead letters when groups were looked at before
   * - `doubled`: it has at least twice as many as its latest notice said
   */
  readonly kind: 'new' | 'doubled';
}
