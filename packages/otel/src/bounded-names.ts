/** The value of every name that comes when there are as many as there may be. */
const OTHER = '_OTHER';

/** The longest name that is kept, in UTF-16 units. */
const MAX_LENGTH = 128;

/** Bounds the values of one attribute, so that a metric has a bounded number of series whatever names it is given. */
export function boundedNames(max: number): (name: string) => string {
  const known = new Set<string>();
  return (given) => {
    const name = given.length > MAX_LENGTH ? given.slice(0, MAX_LENGTH) : given;
    if (known.has(name)) return name;
    if (known.size >= max) return OTHER;
    known.add(name);
    return name;
  };
}
