import type { RunRow } from './runs.ts';

/** `GET search?text=&state=&task=&version=&attempt=&from=&to=&limit=&after=`; `state` may be given several times. */
export interface SearchAnswer {
  /** Without payloads. On the first page the run whose id the text is comes before all others, besides `limit`. */
  readonly runs: readonly RunRow[];
  /** How many runs were looked at for this page. */
  readonly searched: number;
  /** Whether these are all from `after` on. */
  readonly isComplete: boolean;
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
  /**
   * What was looked through, for people. Without the right `unmask` a text is sought in what `mask` leaves, so that a search does not
   * reveal what it hides.
   */
  readonly looked: { readonly in: readonly string[]; readonly isMasked: boolean };
}
