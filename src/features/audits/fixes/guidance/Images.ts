import type { GuidanceTable } from "./Guidance.ts"

/** Images and video. */
export const images: GuidanceTable = {
  "image-delivery-insight": {
    summary: "Images are larger than they need to be",
    why: "Images are most of what pages download; smaller files show sooner, above all on phones.",
    goal: "Serve the listed images in the size and format that the page shows",
    steps: [
      "Find the template or component of each listed image and how its file is produced.",
      "Offer widths for common screens with srcset and sizes, and AVIF or WebP with the current format as fallback.",
      "Recompress at a quality of about 75 to 85; replace animated GIF with video."
    ],
    docs: "https://developer.chrome.com/docs/performance/insights/image-delivery"
  },
  "unsized-images": {
    summary: "Images have no width and height",
    why: "Without a size the browser reserves no space for the image and the content below jumps when it arrives.",
    goal: "Reserve the space of the listed images before they load",
    steps: [
      "Find the template or component that renders each listed image.",
      "Set the width and height attributes to the intrinsic size of the file.",
      "In CSS use max-width: 100% and height: auto, so that the attributes give the ratio and not the size."
    ],
    docs: "https://web.dev/articles/optimize-cls#images_without_dimensions"
  },
  "offscreen-images": {
    summary: "Images outside the first screen load at once",
    why: "They compete with what the visitor sees first.",
    goal: "Load the listed images only when they come near the screen",
    steps: [
      "Add loading=lazy to the listed images and frames.",
      "Leave images of the first screen eager, the largest one above all.",
      "Keep width and height on every lazy image."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/performance/offscreen-images/"
  },
  "image-aspect-ratio": {
    summary: "Images are shown distorted",
    why: "A picture that is stretched or squeezed looks wrong and costs trust.",
    goal: "Show the listed images in their natural ratio",
    steps: [
      "Compare the displayed and the natural size that the evidence gives.",
      "Correct the width and height attributes, or set only one of them in CSS.",
      "Where the box is fixed, use object-fit: cover or contain."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/best-practices/image-aspect-ratio/"
  },
  "image-size-responsive": {
    summary: "Images are too small for the screen and look blurred",
    why: "On dense screens a file with too few pixels is visibly soft.",
    goal: "Serve the listed images with enough pixels for dense screens",
    steps: [
      "Compare the displayed size with the size of the file that the evidence gives.",
      "Produce the image at twice the displayed size and offer both through srcset.",
      "Use SVG for logos and icons."
    ],
    docs: "https://web.dev/articles/serve-responsive-images"
  }
}
