import { folderOf, indexFile, type Steady, steady } from "../frontier/Variation.ts"

/** An address without what servers add to that of a folder: the name of its index file, the slash at the end. */
export const placeOf = (address: string): string => {
  const url = new URL(address)
  return `${url.host}${folderOf(url.pathname)}${url.search}`
}

/** Why two addresses would be those of one page, in words; null when nothing about them says so. */
const difference = (one: string, other: string): string | null => {
  const [a, b] = [new URL(one), new URL(other)]
  if (placeOf(one) === placeOf(other)) {
    const name = [a, b].map(({ pathname }) => indexFile.exec(pathname)?.[0].slice(1)).find((each) => each !== undefined)
    if (name !== undefined) return `"${name}"`
    return a.pathname === b.pathname ? "http and https" : "the slash at the end"
  }
  const [left, right]: readonly [Steady, Steady] = [steady(a), steady(b)]
  const varies = left.address === right.address ? (left.varies ?? right.varies) : null
  if (varies === null) return null
  return `the ${varies.kind === "session" ? "session id" : "tracking parameter"} "${varies.name}"`
}

/** Why one page has several addresses, when all that differs carries no meaning. */
export const sameAddress = (url: string, others: ReadonlyArray<string>): string => {
  const what = others.map((other) => difference(url, other)).find((each) => each !== null)
  return what === undefined ? "" : `: one page, whose addresses differ in ${what}`
}

const numberInPath = /\/(?:page|pages|pagination|seite|pagina)[-/]?\d{1,5}(?:\.html?)?(?:\/|\/index\.html?)?$/i
const numberInQuery = /^(?:page|paged|pg|page_?no|page_?num(?:ber)?|seite|pagina|start|offset)=\d{1,6}$/i

/** The first page of the sequence of numbered pages that an address is a part of, as a key; its own place when it has no number. */
const sequenceOf = (address: string): { readonly key: string; readonly isNumbered: boolean } => {
  const url = new URL(address)
  const parameters = url.search.slice(1).split("&")
  const rest = parameters.filter((each) => !numberInQuery.test(each))
  const isInPath = numberInPath.test(url.pathname)
  const first = new URL(url)
  first.pathname = url.pathname.replace(numberInPath, "/")
  first.search = rest.join("&")
  return { key: placeOf(first.href), isNumbered: isInPath || rest.length < parameters.length }
}

/** Whether two addresses are pages of one numbered sequence, such as `/blog/` and `/blog/page/2/`. */
export const isSequence = (one: string, other: string): boolean => {
  const [a, b] = [sequenceOf(one), sequenceOf(other)]
  return a.key === b.key && (a.isNumbered || b.isNumbered)
}
