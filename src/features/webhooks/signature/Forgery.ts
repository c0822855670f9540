import type * as DeliveryHeaders from "./DeliveryHeaders.ts"

/** Another last digit. In base64 only the first four of its bits count, which 0 and 4 differ in, and 0 and 1 do not: many libraries compare the bytes. */
const spoiled = (text: string) => text.replace(/.(?==?$)/, (last) => (last === "0" ? "4" : "0"))

/** The headers with well-formed signatures that do not verify. */
export const forged = (headers: ReturnType<typeof DeliveryHeaders.make>) => ({
  ...headers,
  "Service-Signature": headers["Service-Signature"]
    .split(",")
    .map((part) => spoiled(part))
    .join(","),
  "webhook-signature": headers["webhook-signature"]
    .split(" ")
    .map((part) => spoiled(part))
    .join(" ")
})
