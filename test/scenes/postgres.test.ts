import { afterAll, beforeAll } from 'vitest';
import type { WorkerHarness } from '../contract/worker/worker-scene.ts';
import { openPostgresQueue } from '../postgres/open-broker.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { onServer } from './arenas.ts';
import { describeScenes } from './describe-scenes.ts';
import { WRITTEN_SCENES } from './scenes.ts';

describeOnPostgres('scenes', (server) => {
  let harness: WorkerHarness;
  beforeAll(async () => {
    harness = await openPostgresQueue(server().url);
  });
  afterAll(() => harness.close());
  describeScenes('by a worker on the Postgres broker', 'real', () => onServer(() => harness.connect()));
  describeScenes(
    'by a worker on the Postgres broker, with the policy of the submission',
    'real',
    () => onServer(() => harness.connect(), 'submission'),
    WRITTEN_SCENES,
  );
});
