import { describe, expect, it } from 'vitest';
import { listPackageNames, listTypeScript, readText } from '../support/repository.ts';
import type { BrokerFolder } from './rules/folders.ts';
import { findCrowded, findMissingRooms, findUnevenVerbs, listMembers } from './rules/folders.ts';

function readBroker(kind: string, folder: string): BrokerFolder {
  const paths = listTypeScript(folder).map((path) => path.slice(folder.length + 1));
  return { kind, paths, hasServer: kind !== 'memory' };
}

const BROKERS = [
  readBroker('memory', 'packages/inprocess/src/broker'),
  readBroker('redis', 'packages/redis-queue/src'),
  readBroker('postgres', 'packages/postgres/src'),
];

describe('folders', () => {
  it.each(listPackageNames())('of %s have about a dozen files', (name) => {
    expect(findCrowded(listTypeScript(`packages/${name}/src`))).toEqual([]);
  });
});

describe('the brokers', () => {
  it.each(BROKERS)('are laid out alike: $kind', (broker) => {
    expect(findMissingRooms(broker)).toEqual([]);
  });

  it('name the file of a verb alike', () => {
    const path = 'packages/core/src/broker/broker.ts';
    const verbs = listMembers({ path, text: readText(path) }, 'Broker');

    expect(verbs).toContain('submit');
    expect(findUnevenVerbs(verbs, BROKERS)).toEqual([]);
  });
});
