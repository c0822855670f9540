/** A heading with its level 1..6 and collapsed text (alt text of images included), ≤ 300 characters. */
export interface HeadingFacts {
  readonly level: number
  readonly text: string
}

/** An `<img>`: `alt` is null when the attribute is absent, `""` when it is empty (decorative). */
export interface ImageFacts {
  readonly raw: string | null
  readonly url: string | null
  readonly alt: string | null
  /** Candidates of `srcset`, resolved, in order; unparsable ones are left out. */
  readonly srcset: ReadonlyArray<string>
  readonly width: string | null
  readonly height: string | null
  readonly lazy: boolean
}

/** A reference to something other than a page: a sub-resource, or an address in an attribute that is no link. */
export interface ResourceFacts {
  /** Element name and attribute, such as `script[src]`. */
  readonly from: string
  readonly raw: string
  readonly url: string | null
}
