/**
 * A lane in its order: first the released runs, whose orders are below zero, the latest released first; then all others, from 1 on.
 * Both ranges leave deleted rows behind, which stay in the index until no snapshot can see them. So each is read by itself, and the
 * second one from where it was lately found empty: a condition that spans both would read everything deleted since.
 */

/** A place among the released runs. */
export const IS_RELEASED = 'ord < 0';

/** A place behind the released runs, and beyond the order from which the lane is to be read. */
export const isBeyond = (low: string): string => `ord > greatest(${low}, 0)`;

/** Whether a released run waits in a lane. */
export const hasReleased = (lane: string): string =>
  `exists (select from ready where lane = ${lane} and ${IS_RELEASED})`;

/** Whether a run waits in a lane that is to be read from an order on. */
export const hasReady = (lane: string, low: string): string =>
  `(${hasReleased(lane)} or exists (select from ready where lane = ${lane} and ${isBeyond(low)}))`;
