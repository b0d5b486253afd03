/**
 * Makes the texts of scripts from Lua files. Redis makes every closure and table of a script anew in each call: some fifty of them cost
 * more than the work of a small one. So a script gets only the declarations that it needs, and a function of `rare/` is made only where
 * the script reaches it, and its own declarations only when it is called.
 */

/** A statement that begins a line with `local`, and all lines up to the next one. */
function readDeclarations(text) {
  return text
    .split(/^(?=local )/m)
    .filter((part) => part.startsWith('local '))
    .map((part) => ({ names: declaredBy(part), text: part.trimEnd() }));
}

function declaredBy(text) {
  const [first] = text.split('\n');
  const named = /^local function (?<name>\w+)/.exec(first)?.groups.name;
  return named === undefined ? wordsOf(first.slice('local '.length).split('=')[0]) : [named];
}

function wordsOf(text) {
  return text.replaceAll(/^\s*-- .*$/gm, '').match(/[A-Za-z_]\w*/g) ?? [];
}

/** The variable of a key: `SLOTS_TAKEN` of `slots-taken`. */
export function variableOf(key) {
  return key.toUpperCase().replaceAll('-', '_');
}

/** The files that a file uses, and those that they use, each behind what it uses. */
function usedBy(file, files, found = new Set()) {
  for (const name of file.uses) {
    const used = files.get(name);
    if (used === undefined) throw new Error(`${file.name} uses ${name}, which is not in library/.`);
    if (found.has(used)) continue;
    usedBy(used, files, found);
    found.add(used);
  }
  return found;
}

/**
 * Returns a function that composes the script of a file: its pieces, to be joined by newlines, and the keys that it gets: all that it may
 * use, those of rare functions behind the others. While a slot of a Cluster moves, a node refuses a script before it begins if one of its
 * keys is elsewhere; a key that it does not get would be missed half-way.
 *
 * @param files - each with its `name`, the names that it `uses`, and its expanded `text`: `library` and `parts` by name, `rare` as a list
 * @param keyNames - all keys, in the order in which scripts get them
 */
export function createComposer({ library, parts, rare }, keyNames) {
  const included = (text) =>
    text.replaceAll(/^( *)-- @include (\S+)$/gm, (_, indent, name) => {
      const part = parts.get(name);
      if (part === undefined) throw new Error(`There is no parts/${name}.lua.`);
      return included(part.text).replaceAll(/^/gm, indent);
    });
  const functions = new Map(
    rare.flatMap((file) =>
      readDeclarations(file.text).map(({ names: [name], text }) => [name, { file, text: included(text) }]),
    ),
  );
  const declarationsOf = (file) =>
    [...usedBy(file, library)].flatMap(({ text }) => readDeclarations(included(text)));

  return (file) => {
    const main = included(file.text);
    const usual = neededFor(declarationsOf(file), main);
    const used = new Set(wordsOf([...usual.map(({ text }) => text), main].join('\n')));
    const keys = keyNames.filter((name) => name === keyNames[0] || used.has(variableOf(name)));
    const made = madeIn(main, functions);
    const outer = new Set([...keys.map(variableOf), 'FIXED', ...namesOf(usual), ...made]);
    const given = keys.map((name, index) => `local ${variableOf(name)} = KEYS[${index + 1}]`);
    const declared = made.length === 0 ? [] : [`local ${made.join(', ')}`];

    /** A rare function with its own declarations, and the keys that no one had before. */
    const makeRare = (name) => {
      const { file: own, text } = functions.get(name);
      const [signature, ...body] = text.split('\n');
      const needed = neededFor(
        declarationsOf(own).filter(({ names }) => names.length === 0 || names.some((one) => !outer.has(one))),
        body.join('\n'),
      );
      const words = new Set(wordsOf([...needed.map((one) => one.text), ...body].join('\n')));
      const ownKeys = keyNames.filter((key) => words.has(variableOf(key)) && !outer.has(variableOf(key)));
      keys.push(...ownKeys.filter((key) => !keys.includes(key)));
      const locals = ownKeys.map((key) => `local ${variableOf(key)} = KEYS[${keys.indexOf(key) + 1}]`);
      return [
        [signature.slice('local '.length), ...locals].join('\n'),
        ...needed.map((one) => one.text),
        ...withRare(body.join('\n')),
      ];
    };
    const withRare = (text) =>
      text.split(/^ *-- @make (\w+)\n?/m).flatMap((part, index) => {
        if (index % 2 === 1) return makeRare(part);
        return part.trim() === '' ? [] : [part.trimEnd()];
      });
    const texts = [...declared, ...withRare(main)];
    const head = [...given, `local FIXED = ${keys.length}`].join('\n');
    const pieces = [head, ...usual.map(({ text }) => text), ...texts];
    // Nobody reads them on the server.
    return { keys, pieces: pieces.map((piece) => piece.replaceAll(/^ +/gm, '')) };
  };
}

/** The rare functions that a script makes, those that others make, too. */
function madeIn(text, functions, made = []) {
  for (const [, name] of text.matchAll(/^ *-- @make (\S+)$/gm)) {
    const one = functions.get(name);
    if (one === undefined) throw new Error(`There is no function ${name} in rare/.`);
    if (made.includes(name)) continue;
    made.push(name);
    madeIn(one.text, functions, made);
  }
  return made;
}

/** Returns the declarations that a text needs, in their order: each may need earlier ones. */
function neededFor(declarations, text) {
  const words = new Set(wordsOf(text));
  const needed = [];
  for (const declaration of [...declarations].reverse()) {
    if (!declaration.names.some((name) => words.has(name))) continue;
    needed.push(declaration);
    for (const word of wordsOf(declaration.text)) words.add(word);
  }
  return needed.reverse();
}

function namesOf(declarations) {
  return declarations.flatMap(({ names }) => names);
}
