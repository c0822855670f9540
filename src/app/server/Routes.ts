/** One path with what answers its methods. */
export interface Route<A> {
  /** As it is declared, with `:name` where a parameter stands. */
  readonly path: string
  readonly methods: ReadonlyMap<string, A>
}

/** A route that fits a path, with what stands where its parameters are. */
export interface Match<A> {
  readonly route: Route<A>
  readonly params: Readonly<Record<string, string>>
}

const segmentsOf = (path: string) => path.split("/")

const isParameter = (segment: string) => segment.startsWith(":")

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // What cannot be decoded names nothing, as any other malformed id.
    return text
  }
}

const fits = (pattern: ReadonlyArray<string>, actual: ReadonlyArray<string>) =>
  pattern.every((segment, at) => (isParameter(segment) ? actual[at] !== "" : segment === actual[at]))

/** Finds the route of a path, whatever the method, so that 405 and 404 differ. What answers GET answers HEAD too. */
export const routesOf = <A extends { readonly method: string; readonly path: string }>(all: Iterable<A>) => {
  const methods = new Map<string, Map<string, A>>()
  for (const one of all) {
    const known = methods.get(one.path) ?? new Map<string, A>()
    known.set(one.method, one)
    if (one.method === "GET") known.set("HEAD", one)
    methods.set(one.path, known)
  }
  const routes = Array.from(methods, ([path, methods]) => {
    const segments = segmentsOf(path)
    const parameters = Array.from(segments.entries()).filter(([, segment]) => isParameter(segment))
    return { parameters, route: { methods, path } satisfies Route<A>, segments }
  })
  // A path that is spelt out comes before one with a parameter in its place.
  routes.sort((a, b) => a.parameters.length - b.parameters.length)
  const byLength = Map.groupBy(routes, ({ segments }) => segments.length)
  return (path: string): Match<A> | undefined => {
    const actual = segmentsOf(path)
    const found = byLength.get(actual.length)?.find(({ segments }) => fits(segments, actual))
    if (found === undefined) return undefined
    const params: Record<string, string> = {}
    for (const [at, name] of found.parameters) params[name.slice(1)] = decoded(actual[at] ?? "")
    return { params, route: found.route }
  }
}
