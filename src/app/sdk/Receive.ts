/** Platform adapter (the clock): a delivery as an endpoint gets it, a `Request` of the platform. */
import { type Refusal, verify } from "../../features/webhooks/signature/Signature.ts"

/** A delivery that is genuine, with its event, or why it is refused. */
export type Received<Event> =
  | { readonly valid: true; readonly event: Event }
  | { readonly valid: false; readonly reason: Refusal }

/** The settings of an endpoint. */
export interface ReceiveOptions {
  /** The subscription's secret, or all that are valid at the moment. */
  readonly secret: string | ReadonlyArray<string>
  /** Seconds by which the time of a delivery may differ from now, before or after; 300 by default. */
  readonly tolerance?: number
}

/** Reads a delivery and checks its signature; a genuine one is the JSON of an event. */
export const receive = <Event>(request: Request, options: ReceiveOptions): Promise<Received<Event>> =>
  request.text().then((body) =>
    // @effect-diagnostics-next-line globalDate:off
    verify({ ...options, body, header: request.headers.get("service-signature"), now: Date.now() / 1000 }).then(
      (verdict): Received<Event> => (verdict.valid ? { event: JSON.parse(body), valid: true } : verdict)
    )
  )
