import { MAX_INSTANT_AT } from '@retry/core';

/** More than any call is asked for, and what any integer of the server holds. */
const MAX_COUNT = 2 ** 31 - 1;

/** An epoch that no run has. */
const NO_EPOCH = -1;

/** An instant or a length of time that a column holds, never early: whatever is out of range is taken for the nearest. */
export function upToWhole(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.ceil(Math.max(-MAX_INSTANT_AT, Math.min(ms, MAX_INSTANT_AT)));
}

/** The same for what has been: never late. */
export function downToWhole(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.floor(Math.max(-MAX_INSTANT_AT, Math.min(ms, MAX_INSTANT_AT)));
}

/** How many, at most: a whole number ≥ 0 that every column and limit holds. */
export function toCount(count: number): number {
  return Number.isNaN(count) ? 0 : Math.floor(Math.max(0, Math.min(count, MAX_COUNT)));
}

/** An epoch as it is compared: one that can be none is no run's. */
export function toEpoch(epoch: number): number {
  return Number.isSafeInteger(epoch) ? epoch : NO_EPOCH;
}
