import { describe, expect, it } from 'vitest';
import { findCrowded, findMissingRooms, findUnevenVerbs, listMembers } from './rules/folders.ts';

describe('findCrowded', () => {
  const files = (folder: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${folder}/file-${index}.ts`);

  it('reports a folder of 17 files, not one of 16, and counts no subfolders', () => {
    const found = findCrowded([...files('a', 17), ...files('b', 16), ...files('b/c', 16)]);

    expect(found).toEqual(['a has 17 files']);
  });
});

describe('findMissingRooms', () => {
  const paths = ['create-redis-broker.ts', 'options.ts', 'errors.ts', 'verbs/get.ts', 'record/run.ts'];
  const server = ['wake/wait.ts', 'driver/client.ts', 'scripts/get.ts'];

  it('accepts the layout of a broker on a server', () => {
    expect(findMissingRooms({ kind: 'redis', paths: [...paths, ...server], hasServer: true })).toEqual([]);
  });

  it('accepts a broker in memory without errors, driver and scripts', () => {
    const inMemory = [
      'create-memory-broker.ts',
      'options.ts',
      'verbs/get.ts',
      'record/run.ts',
      'wake/wait.ts',
    ];

    expect(findMissingRooms({ kind: 'memory', paths: inMemory, hasServer: false })).toEqual([]);
  });

  it('reports what is missing', () => {
    expect(findMissingRooms({ kind: 'redis', paths, hasServer: true })).toEqual([
      'the redis broker has no wake/',
      'the redis broker has no driver/',
      'the redis broker has no scripts/ or schema/',
    ]);
  });
});

describe('findUnevenVerbs', () => {
  const broker = (kind: string, ...verbs: readonly string[]) => ({
    kind,
    paths: verbs.map((verb) => `verbs/${verb}.ts`),
    hasServer: true,
  });

  it('reports a verb that one broker has no file for, and no verb that none has', () => {
    const found = findUnevenVerbs(
      ['submit', 'get', 'close'],
      [broker('redis', 'submit', 'get'), broker('postgres', 'submit', 'read')],
    );

    expect(found).toEqual(['verbs/get.ts is in redis only']);
  });
});

describe('listMembers', () => {
  it('returns the members of one interface that are not optional, in kebab-case', () => {
    const text =
      'interface Broker { readonly submit: () => void; findExpired(): void; readonly within?: () => void } interface Other { a: 1 }';

    expect(listMembers({ path: 'broker.ts', text }, 'Broker')).toEqual(['submit', 'find-expired']);
  });
});
