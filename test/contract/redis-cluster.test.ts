import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisHarness, openRedisQueue } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateCluster } from '../support/servers/redis-cluster.ts';
import { PATIENT, startPrivateCluster } from '../support/servers/redis-cluster.ts';
import { describeBrokerContract } from './describe-broker-contract.ts';
import { describeWorkerOnBroker, PARTS_OF_CONNECTIONS } from './worker/describe-worker-on-broker.ts';

describeOnPrivateRedis('a cluster of three nodes', () => {
  let cluster: PrivateCluster;
  beforeAll(async () => {
    cluster = await startPrivateCluster();
  });
  afterAll(() => cluster.stop());

  describe('by redis', () => {
    let client: ReturnType<typeof createCluster>;
    beforeAll(async () => {
      client = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })), defaults: PATIENT });
      await client.connect();
    });
    afterAll(() => client.close());

    describeBrokerContract('a broker', {
      open: (options) => openRedisHarness('', { ...options, client }),
      // The scripts and their driver are those of a single server, where each case runs.
      everyNth: 4,
    });
    describeWorkerOnBroker('workers', {
      open: () => openRedisQueue('', { client }),
      parts: PARTS_OF_CONNECTIONS,
    });
  });

  describe('by ioredis', () => {
    let client: Cluster;
    beforeAll(() => {
      client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
    });
    afterAll(() => client.disconnect());

    describeWorkerOnBroker('workers', {
      open: () => openRedisQueue('', { client }),
      parts: PARTS_OF_CONNECTIONS,
    });
  });
});
