/** The header with the server that a proxied request is for. */
export const nodeHeader = "x-test-node"

/** A proxy between tests and their servers: `bun run campaign foreign` names one that compares each request and each response with the contract. */
const proxy = process.env.FINDABLE_TEST_PROXY

const isObject = (text: string) => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    return false
  }
}

/** Requests that the proxy can pass on: it makes up responses for a 501, waits for the body of a 304, and drops undecodable texts. */
const isCarried = (url: URL, { body, method = "GET" }: RequestInit, headers: Headers) =>
  /^(?:GET|POST|PATCH|DELETE)$/.test(method) &&
  `${method} ${url.pathname}` !== "POST /api/v1/audits" &&
  !headers.has("if-none-match") &&
  (typeof body !== "string" || (headers.has("content-type") && isObject(body)))

/** Requests that the server accepts beyond the contract: a superfluous body, and old names of paths, which look like an invalid id. */
const isGenerous = (said: string) => /No supported content types|"location":\["path"/.test(said)

/**
 * Sends one request. A request that the contract does not allow goes to the server without the proxy, which must refuse it as well. So do requests that the
 * proxy does not know: routes and methods beyond the contract, and the scheme of a key in other letter case.
 */
export const ask = async (url: URL, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  if (proxy === undefined || !isCarried(url, init, headers)) return fetch(url, init)
  headers.set(nodeHeader, url.origin)
  const response = await fetch(new URL(`${url.pathname}${url.search}`, proxy), { ...init, headers })
  // Every response of a server has an id.
  if (response.headers.has("x-request-id")) return response
  const said = await response.text()
  const asked = `${init.method ?? "GET"} ${url.pathname}${url.search}`
  if (said.includes("#VIOLATIONS")) throw new Error(`${asked}: ${said}`)
  const own = await fetch(url, init)
  if (own.status < 400 && said.includes("#UNPROCESSABLE_ENTITY") && !isGenerous(said)) {
    throw new Error(`${asked} answered ${own.status}, and the contract refuses it: ${said}`)
  }
  return own
}
