import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from './source.ts';
import { parse } from './source.ts';

/** A folder has about a dozen files; more than this are two folders. */
const MAX_FILES = 16;

/** A list of alike entries, one file each, that none reads as a whole. */
const LISTS = ['packages/core/src/dialects/systems'];

/** Folders with too many files. @returns one line for each: the folder, and how many it has */
export function findCrowded(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && !LISTS.includes(folder))
    .map(([folder, count]) => `${folder} has ${count} files`);
}

/** Where a broker is, and the paths of its files from there. */
export interface BrokerFolder {
  readonly kind: string;
  readonly paths: readonly string[];
  /** Whether it speaks to a server: then it has a driver, and something that the server runs. */
  readonly hasServer: boolean;
}

/** What the layout of DESIGN asks of a broker and it does not have. @returns one line for each */
export function findMissingRooms({ kind, paths, hasServer }: BrokerFolder): readonly string[] {
  const files = [`create-${kind}-broker.ts`, 'options.ts', ...(hasServer ? ['errors.ts'] : [])];
  const folders = ['verbs', 'record', 'wake', ...(hasServer ? ['driver'] : [])];
  const hasFolder = (folder: string): boolean => paths.some((path) => path.startsWith(`${folder}/`));
  const runsOnServer = !hasServer || hasFolder('scripts') || hasFolder('schema');
  return [
    ...files.filter((file) => !paths.includes(file)),
    ...folders.filter((folder) => !hasFolder(folder)).map((folder) => `${folder}/`),
    ...(runsOnServer ? [] : ['scripts/ or schema/']),
  ].map((missing) => `the ${kind} broker has no ${missing}`);
}

/** Verbs of the port that have a file of their own in some brokers only. @returns one line for each */
export function findUnevenVerbs(
  verbs: readonly string[],
  brokers: readonly BrokerFolder[],
): readonly string[] {
  return verbs.flatMap((verb) => {
    const file = `verbs/${verb}.ts`;
    const having = brokers.filter(({ paths }) => paths.includes(file)).map(({ kind }) => kind);
    if (having.length === 0 || having.length === brokers.length) return [];
    return [`${file} is in ${having.join(' and ')} only`];
  });
}

/** The members of an interface that every implementation has, in kebab-case. */
export function listMembers(source: Source, name: string): readonly string[] {
  return parse(source)
    .statements.filter(ts.isInterfaceDeclaration)
    .filter((node) => node.name.text === name)
    .flatMap(({ members }) => members.filter((member) => member.questionToken === undefined))
    .map((member) => member.name?.getText() ?? '')
    .map((member) => member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}
