const nothing: ReadonlyMap<string, number> = new Map()

/** The values of an `Accept` header with their weights (RFC 9110 §12.4.2); other parameters are left out. */
export const accepted = (header: string | undefined): ReadonlyMap<string, number> =>
  header === undefined
    ? nothing
    : new Map(
        header.split(",").map((part) => {
          const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
          const weight = parameters.find((text) => text.startsWith("q="))?.slice(2)
          return [name, weight === undefined ? 1 : Number(weight)] as const
        })
      )
