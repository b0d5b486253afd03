/** The licence texts of what a package bundles: their licences ask that every copy has them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from './workspace.mjs';

/**
 * @param inputs - absolute paths of the modules of a bundle
 * @returns the notices, as Markdown; undefined when nothing was bundled that others wrote
 * @throws when one of the libraries comes without the text of its licence
 */
export function noticesOf(inputs) {
  const folders = new Map(inputs.flatMap((path) => folderOf(path)));
  if (folders.size === 0) return undefined;
  const sections = [...folders.keys()].sort().map((name) => sectionOf(name, folders.get(name)));
  return `# What is bundled here\n\nParts of these libraries, under their licences.\n\n${sections.join('\n')}`;
}

/** The library that a module belongs to, and its folder; nothing for our own. */
function folderOf(path) {
  const [, folder, name] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/.exec(path) ?? [];
  return name === undefined ? [] : [[name.replace('\\', '/'), folder]];
}

function sectionOf(name, folder) {
  const { version } = readJson(join(folder, 'package.json'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no text of its licence, so it cannot be bundled`);
  const text = readFileSync(join(folder, file), 'utf8').trim().replace(/\r\n/g, '\n');
  return `## ${name} ${version}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
