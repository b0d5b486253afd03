import type { ScheduleView } from '@retry/worker';

/** `GET schedules`: what is submitted again and again. */
export interface SchedulesAnswer {
  /** A page of schedules without payloads; the one that fires next is first. */
  readonly schedules: readonly ScheduleRow[];
  /** The ids of those that another version of the library wrote in another form; absent if there are none. */
  readonly unreadable?: readonly string[];
  /** Where the next page begins, as `after` takes it; absent on the last page. */
  readonly next?: string;
}

/** A schedule without its payload, which may hold secrets. */
export type ScheduleRow = Omit<ScheduleView, 'payload'>;

/** `POST schedules/:id/remove`. */
export interface ScheduleRemovalAnswer {
  readonly answer: 'removed' | 'gone';
}
