import { createMemoryBroker } from '@retry/inprocess/broker';
import { it } from 'vitest';
import { assertWalks } from '../support/list-walks.ts';

it('the memory broker lists each run that stays once, whatever moves between the pages', async () => {
  await assertWalks(async () => createMemoryBroker());
});
