/** Characters whose order by UTF-16 is not that of their bytes in UTF-8. */
const IN_ANOTHER_ORDER = /[\ud800-\uffff]/;

/** Compares ids as Redis does: by their bytes. */
export function compareIds(left: string, right: string): number {
  if (left === right) return 0;
  if (IN_ANOTHER_ORDER.test(left) || IN_ANOTHER_ORDER.test(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}
