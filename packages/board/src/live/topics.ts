import type { Topic, Topics } from '../api.ts';
import type { Desk } from '../routes/call.ts';
import { groupsPage } from '../routes/groups.ts';
import { operations } from '../routes/operations.ts';
import { overview, workers } from '../routes/overview.ts';
import { retries } from '../routes/retries.ts';
import { storm } from '../routes/storm.ts';

/** What each topic reads. */
export const TOPICS: { readonly [Name in Topic]: (desk: Desk) => Promise<Topics[Name]> } = {
  overview,
  workers,
  groups: (desk) => groupsPage(desk, {}),
  operations,
  retries: (desk) => retries(desk),
  storm,
};

/** Whether a text names a topic. */
export function isTopic(name: string): name is Topic {
  return Object.hasOwn(TOPICS, name);
}
