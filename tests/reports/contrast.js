// Every text on the page whose contrast with what is painted behind it is below 4.5 (WCAG 2.2, 1.4.3), as lines of text.
(() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const solid = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, ground) => top.slice(0, 3).map((value, n) => value * top[3] + ground[n] * (1 - top[3]));
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(solid(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((ground, layer) => over(layer, ground), [255, 255, 255]);
  };
  const poor = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !element.checkVisibility() || element.closest(".hidden, .skip, script, option")) continue;
    const style = getComputedStyle(element), ground = behind(element);
    const ink = over(solid(element.closest("svg") ? style.fill : style.color), ground);
    const [high, low] = [luminance(ink), luminance(ground)].sort((one, other) => other - one);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className} ${text.slice(0, 30)}`);
  }
  return poor;
})()
