/** Platform adapter (the clock): reads a delivery from the platform's `Request`. */
import { type Refusal, verify } from "../../features/webhooks/signature/Signature.ts"

/** A genuine delivery with its event, or the reason of its refusal. */
export type Received<Event> =
  | { readonly valid: true; readonly event: Event }
  | { readonly valid: false; readonly reason: Refusal }

/** The settings of an endpoint. */
export interface ReceiveOptions {
  /** The subscription's secret, or all currently valid secrets. */
  readonly secret: string | ReadonlyArray<string>
  /** The most seconds between the time of a delivery and now, in the past or in the future; 300 by default. */
  readonly tolerance?: number
}

/** Reads a delivery and checks its signature; a genuine delivery has the JSON of an event. */
export const receive = <Event>(request: Request, options: ReceiveOptions): Promise<Received<Event>> =>
  request.text().then((body) =>
    // @effect-diagnostics-next-line globalDate:off
    verify({ ...options, body, header: request.headers.get("service-signature"), now: Date.now() / 1000 }).then(
      (verdict): Received<Event> => (verdict.valid ? { event: JSON.parse(body), valid: true } : verdict)
    )
  )
