import { signal } from "@preact/signals"
import type { ConsoleSession, OwnKey } from "./Contract.ts"
import { type Failure, send } from "./Send.ts"

/** The key of this tab. */
interface Session {
  readonly key: string
  /** Made for this session, so leaving deletes it; a pasted key belongs to the person. */
  readonly isOwn: boolean
}

const place = "findable-console"

/** A browser may keep pages from storing anything: then the key lasts as long as the page. */
const withStorage = <A>(use: (storage: Storage) => A): A | null => {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

const stored = (): Session | null => withStorage((storage) => JSON.parse(storage.getItem(place) ?? "null"))

/** Who uses this tab; null at the door. */
export const session = signal<Session | null>(stored())

/** Why the door is shown, where there is more to say than that nobody has entered. */
export const reason = signal<string | null>(null)

const keep = (next: Session | null, why: string | null) => {
  withStorage((storage) => {
    if (next === null) storage.removeItem(place)
    else storage.setItem(place, JSON.stringify(next))
  })
  reason.value = why
  session.value = next
}

/** Enters with a key that a person has, once the server knows it. */
export const enter = async (key: string): Promise<Failure | null> => {
  const { failure } = await send<OwnKey>({ key, path: "/key" })
  // A program that embeds the API may know its callers by other means.
  if (failure !== null && failure.status !== 404) return failure
  keep({ isOwn: false, key }, null)
  return null
}

/** Enters with the code of a link, which serves once. */
export const redeem = async (code: string): Promise<void> => {
  const outcome = await send<ConsoleSession>({ body: { code }, key: null, method: "POST", path: "/console-sessions" })
  if (outcome.failure === null) keep({ isOwn: true, key: outcome.data.key }, null)
  else
    keep(
      null,
      [404, 422].includes(outcome.failure.status)
        ? "This sign-in link has expired or has already been used. Get a new one on the server."
        : outcome.failure.message
    )
}

/** Back to the door, because the server refuses the key. Another one may have been entered meanwhile. */
export const lose = (key: string, message: string): void => {
  if (session.value?.key === key) keep(null, `${message}. Enter again, and you are back where you were.`)
}

/** Leaves: the key of a session is deleted, a pasted one is forgotten. */
export const leave = async (): Promise<void> => {
  const { isOwn = false, key = "" } = session.value ?? {}
  if (!isOwn) return keep(null, "You have left. The key is forgotten here, and stays valid.")
  const { failure } = await send({ key, method: "DELETE", path: "/key" })
  keep(
    null,
    failure === null || failure.status === 401
      ? "You have left. The key of the session is deleted."
      : `You have left, but the key of the session could not be deleted: ${failure.message}`
  )
}
