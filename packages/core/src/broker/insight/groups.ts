/** What dead letters of one cause are counted under. */
export interface ErrorGroupName {
  /** 1 to 64 letters, digits, `_` and `-` of ASCII. */
  readonly id: string;
  /** One line for people, 1 to 512 bytes. Where one call gives an id several titles, any of these is kept. */
  readonly title: string;
}

/** The dead letters of one lane whose latest errors have one cause. */
export interface ErrorGroup extends ErrorGroupName {
  /** The lane of its dead letters. The same id in another lane is another group. */
  readonly lane: string;
  /** How many dead letters it has now, ≥ 1. */
  readonly count: number;
  /** The charged attempts, failures and stalls, that these have spent since their attempts were last reset. */
  readonly attempts: number;
  /** The earliest end, in epoch milliseconds, of the runs that came into the group since it was last empty. */
  readonly firstSeenAt: number;
  /** The latest one. */
  readonly lastSeenAt: number;
  /** The id of the run that ended last; if that has left the group, of the first one by id. */
  readonly sampleId: string;
  /** Whether it has the dead letters of all errors that found no group of their own: see {@link MAX_GROUPS}. */
  readonly isOther: boolean;
}

/** Which error groups to return. */
export interface GroupsQuery {
  /** @default every lane */
  readonly lane?: string;
  /** 1 to 1 000. */
  readonly limit: number;
  /** The `next` of the page before; absent: the first page. */
  readonly after?: string;
}

/** A page of error groups. */
export interface GroupPage {
  /**
   * The groups, those with most dead letters first; of equal ones by lane, then by id. A group whose count changes between two pages
   * may be on both of them, or on none.
   */
  readonly groups: readonly ErrorGroup[];
  /** How many dead letters there are in all groups of the query, on whatever page. */
  readonly deadLetters: number;
  /** Where the next page begins, as `after` takes it; absent on the last page. */
  readonly next?: string;
}

/** How many groups a lane has at most, besides the one that counts the rest; on Redis in each partition. */
export const MAX_GROUPS = 1_000;

/** Counts the dead letters for which there is no group of their own. */
export const OTHER_GROUP: ErrorGroupName = { id: 'other', title: 'Other errors' };

/** Counts the runs that a broker makes dead letters of because it cannot read them. */
export const UNREADABLE_GROUP: ErrorGroupName = {
  id: 'unreadable',
  title: 'UNREADABLE_RUN: what the server keeps of these runs cannot be read',
};

/** An error group that is new, or has doubled. */
export interface GroupNotice extends ErrorGroup {
  /**
   * - `new`: the group had no dead letters when groups were looked at before
   * - `doubled`: it has at least twice as many as its latest notice said
   */
  readonly kind: 'new' | 'doubled';
}
