/** What the references of a document resolve against. */
export interface BaseUrl {
  readonly href: string
  /** The document's encoding, in which the queries of its references are written (HTML standard, encoding-parse a URL). */
  readonly encoding: string
}

/** A base of references that stand in no document, such as those of header fields: the URL standard's own UTF-8 holds. */
export const plainBase = (href: string): BaseUrl => ({ href, encoding: "utf-8" })
