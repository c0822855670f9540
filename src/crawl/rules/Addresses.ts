import { bareHost } from "../../foundation/schema/WebAddress.ts"
import { folderOf, indexFile, steady } from "../frontier/Variation.ts"

/** An address without scheme, `www.`, and what servers add to that of a folder: the name of its index file, the slash at the end. */
export const placeOf = (address: string): string => {
  const url = new URL(address)
  return `${bareHost(url.hostname)}:${url.port}${folderOf(url.pathname)}${url.search}`
}

/** An address without all that carries no meaning: session ids, tracking parameters and the order of parameters too. */
export const twinKey = (address: string): string => placeOf(steady(new URL(address)).address)

/** In what two addresses of one page differ, in words. */
export const difference = (one: string, other: string): string => {
  const [a, b] = [new URL(one), new URL(other)]
  const [left, right] = [steady(a), steady(b)]
  const varies =
    left.varies?.name === right.varies?.name && a.search === b.search ? null : (left.varies ?? right.varies)
  if (varies !== null) return `the ${varies.kind === "session" ? "session id" : "tracking parameter"} "${varies.name}"`
  const name = [a, b].map(({ pathname }) => indexFile.exec(pathname)?.[0].slice(1)).find((each) => each !== undefined)
  if (a.pathname !== b.pathname) return name === undefined ? "the slash at the end" : `"${name}"`
  if (a.hostname !== b.hostname) return '"www."'
  return a.protocol === b.protocol ? "the order of their parameters" : "http and https"
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
