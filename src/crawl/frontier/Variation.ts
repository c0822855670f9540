/** Names that carry a visitor's session, as the platforms of the web call them. */
const sessionName =
  /^(?:(?:php|j|asp\.?net[_-]?|cf|zen|osc?|xtc?)?[_-]?s(?:ess(?:ion)?)?[_-]?(?:id|key|token)|session|sess|aspsessionid\w*|cfid|cftoken|sessid|zenid|oscsid)$/i

/** Parameters that only say where a visitor came from. */
const trackingName = /^(?:utm_\w+|gclid|fbclid|msclkid|yclid|dclid|mc_[ce]id|_ga|_gl|igshid)$/i

/** A session written into the path: `;jsessionid=…`, or ASP.NET's `(S(…))`. */
const sessionPath = /;(jsessionid|sid|phpsessid)=[^/?#;]*|\/\((S)\([^)]*\)\)/i

/** An address without what varies from visit to visit, and the name of what was left out; null when nothing was. */
export interface Steady {
  readonly address: string
  readonly varies: { readonly kind: "session" | "tracking"; readonly name: string } | null
}

/** What stays of an address when session ids and tracking parameters go: the page that it is an address of. */
export const steady = (url: URL): Steady => {
  const inPath = sessionPath.exec(url.pathname)
  const path = inPath === null ? url.pathname : url.pathname.replace(sessionPath, "")
  const parameters = url.search
    .slice(1)
    .split("&")
    .filter((each) => each !== "")
  const nameOf = (parameter: string) => parameter.split("=", 1)[0] ?? ""
  const session = parameters.map(nameOf).find((name) => sessionName.test(name)) ?? inPath?.[1] ?? inPath?.[2]
  const tracking = parameters.map(nameOf).find((name) => trackingName.test(name))
  const rest = parameters.filter((each) => !sessionName.test(nameOf(each)) && !trackingName.test(nameOf(each)))
  const varies =
    session !== undefined
      ? ({ kind: "session", name: session } as const)
      : tracking === undefined
        ? null
        : ({ kind: "tracking", name: tracking } as const)
  return { address: `${url.origin}${path}${rest.length === 0 ? "" : `?${rest.sort().join("&")}`}`, varies }
}

const inPath = /\/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?\/?$/
const inQuery = /^(?:19|20)\d\d[-/.]?(?:0[1-9]|1[0-2])(?:[-/.]?(?:0[1-9]|[12]\d|3[01]))?$/
const year = /^(?:19|20)\d\d$/
const monthName = /^(?:m|mon|month|mois|monat|mes)$/i
const yearName = /^(?:y|yr|year|jahr|annee|ano)$/i

/** The calendar that an address is a day or month of: the address with its date blanked; null when it has none. */
export const calendarOf = (url: URL): string | null => {
  if (inPath.test(url.pathname)) return `${url.pathname.replace(inPath, "/{date}")}`
  const entries = [...url.searchParams]
  const isDated = entries.some(([, value]) => inQuery.test(value))
  const isSplit =
    entries.some(([name, value]) => yearName.test(name) && year.test(value)) &&
    entries.some(([name]) => monthName.test(name))
  return isDated || isSplit ? `${url.pathname}?{date}` : null
}

/** The files that servers send for a folder. */
export const indexFile = /\/(?:index|default|welcome)\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm)$/i

/** A path without what servers add to that of a folder: the name of its index file, the slash at the end. */
export const folderOf = (pathname: string): string => pathname.replace(indexFile, "/").replace(/\/$/, "")

/** Whether two addresses differ in nothing but their query, the name of an index file or the slash at the end. */
export const isVariantOf = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)]
  return one !== other && a.origin === b.origin && folderOf(a.pathname) === folderOf(b.pathname)
}
