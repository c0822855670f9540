import type * as Property from "../Property.ts"

/** What a decoder must know of the site and of the request. */
export interface Options {
  /** The project's host, with a port if it has one. */
  readonly host: string
  /** The project's origin, where that is not https at the host. */
  readonly origin?: string
  /** The Search Console property, when the rows may name other hosts of a domain property. */
  readonly property?: Property.Property
  /** The day of all rows: of files without a date, and the only one that others may have. */
  readonly date?: string
  /** The newest day that can hold data; later ones are refused. */
  readonly notAfter?: string
  /** Dimensions of the keys in an API answer; default: date, query, page. */
  readonly dimensions?: ReadonlyArray<string>
}
