"""A small line and point plot as SVG: enough for the validation page, and the same bytes everywhere."""
import html
import math

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 20, 40, 52
COLOURS = ["#1f6fb4", "#d1495b", "#2e8b57", "#8e6c8a", "#c98a1b"]


def ticks(low, high):
    """About five round numbers in a range."""
    step = 10 ** math.floor(math.log10((high - low) / 5))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


class Plot:
    def __init__(self, title, x_label, y_label):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.series = []

    def line(self, name, x, y, dashed=False):
        self.series.append((name, list(map(float, x)), list(map(float, y)), "dashed" if dashed else "line"))

    def points(self, name, x, y):
        self.series.append((name, list(map(float, x)), list(map(float, y)), "points"))

    def ranges(self):
        result = []
        for values in ([v for s in self.series for v in s[1]], [v for s in self.series for v in s[2]]):
            values = [v for v in values if math.isfinite(v)]
            low, high = min(values), max(values)
            margin = 0.04 * (high - low) or max(abs(high), 1) * 0.1
            result.append((low - margin, high + margin))
        return result

    def svg(self):
        (x0, x1), (y0, y1) = self.ranges()

        def px(x):
            return LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

        def py(y):
            return HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
               'font-family="sans-serif" font-size="12" fill="#333">',
               f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
        for x in ticks(x0, x1):
            out.append(f'<path d="M{px(x):.1f} {TOP}V{bottom}" stroke="#e4e4e4"/>'
                       f'<text x="{px(x):.1f}" y="{bottom + 17}" text-anchor="middle">{x:.6g}</text>')
        for y in ticks(y0, y1):
            out.append(f'<path d="M{LEFT} {py(y):.1f}H{right}" stroke="#e4e4e4"/>'
                       f'<text x="{LEFT - 7}" y="{py(y) + 4:.1f}" text-anchor="end">{y:.6g}</text>')
        out.append(f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" stroke="#888"/>')
        for number, (_, xs, ys, kind) in enumerate(self.series):
            out.append(self.drawn(number, kind, [(px(x), py(y)) for x, y in zip(xs, ys) if math.isfinite(x + y)]))
        out += self.captions()
        return "\n".join(out) + "\n</svg>\n"

    @staticmethod
    def drawn(number, kind, places):
        colour = COLOURS[number % len(COLOURS)]
        if kind == "points":
            return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>' for x, y in places)
        dash = ' stroke-dasharray="6 4"' if kind == "dashed" else ""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        return f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>'

    def captions(self):
        middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
        out = [f'<text x="{LEFT}" y="18" font-weight="bold" font-size="13">{html.escape(self.title)}</text>',
               f'<text x="{middle_x}" y="{HEIGHT - 12}" text-anchor="middle">{html.escape(self.x_label)}</text>',
               f'<text transform="translate(16 {middle_y}) rotate(-90)" text-anchor="middle">{html.escape(self.y_label)}</text>']
        x = LEFT
        for number, (name, _, _, _) in enumerate(self.series):
            out.append(f'<text x="{x}" y="34" fill="{COLOURS[number % len(COLOURS)]}">{html.escape(name)}</text>')
            x += 7 * len(name) + 22
        return out
