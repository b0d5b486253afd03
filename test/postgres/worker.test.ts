import { describeWorkerOnBroker } from '../contract/worker/describe-worker-on-broker.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPostgresQueue } from './open-broker.ts';

describeOnPostgres('workers on the Postgres broker', (server) => {
  describeWorkerOnBroker('by pg', { open: () => openPostgresQueue(server().url) });
});
