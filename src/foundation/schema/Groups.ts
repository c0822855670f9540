/** Items by a key, in their order; `Map.groupBy` is not in Node 20, where the crawl runs as well. */
export const groupedBy = <A, K>(items: Iterable<A>, keyOf: (item: A) => K): Map<K, Array<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
