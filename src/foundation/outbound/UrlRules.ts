import * as Either from "effect/Either"
import { portProblem } from "../schema/BadPorts.ts"
import { Fault } from "./Outbound.ts"

/** The host of a URL as the socket layer needs it. */
export interface Host {
  /** Without the brackets of an IPv6 literal. */
  readonly name: string
  readonly port: number
  readonly secure: boolean
}

const defaultPort = (secure: boolean) => (secure ? 443 : 80)

const blocked = (message: string) => Either.left(new Fault({ reason: "blocked_url", message }))

/**
 * Whether the URL may be requested at all: http or https, no credentials, a host, and no port of another protocol unless the operator's settings name it. `new URL()` has already unified all spellings of an address literal;
 * the addresses of a name are judged after the look-up.
 */
export const readHost = (url: URL, isSetting = false): Either.Either<Host, Fault> => {
  if (url.protocol !== "http:" && url.protocol !== "https:") return blocked("The URL is neither http nor https")
  if (url.username !== "" || url.password !== "") return blocked("The URL contains credentials")
  if (url.hostname === "") return blocked("The URL has no host")
  const problem = isSetting ? undefined : portProblem(url.href)
  if (problem !== undefined) return blocked(`The URL ${problem}`)
  const secure = url.protocol === "https:"
  const name = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  return Either.right({ name, port: url.port === "" ? defaultPort(secure) : Number(url.port), secure })
}
