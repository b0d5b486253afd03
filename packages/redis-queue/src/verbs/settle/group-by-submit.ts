import type { Settlement } from '@retry/core/broker';

/** Divides settlements, in their order, into those that submit a run and those that do not. */
export function groupBySubmit(settle: readonly Settlement[]): readonly (readonly Settlement[])[] {
  if (settle.every(({ submit }) => submit === undefined)) return [settle];
  const groups: Settlement[][] = [];
  for (const settlement of settle) {
    const group = groups.at(-1);
    if (group !== undefined && isSubmitting(group[0]) === isSubmitting(settlement)) group.push(settlement);
    else groups.push([settlement]);
  }
  return groups;
}

/** Whether a settlement submits a run. */
export function isSubmitting(settlement: Settlement | undefined): boolean {
  return settlement?.submit !== undefined;
}
