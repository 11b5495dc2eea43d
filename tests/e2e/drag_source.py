"""Another program from which a file is dragged: a small window in the corner; its argument is the file."""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

uris = [pathlib.Path(name).resolve().as_uri() for name in sys.argv[1:]]
# Not managed by any window manager, so it lies where it is put, above the other window.
window = Gtk.Window(type=Gtk.WindowType.POPUP)
window.set_default_size(120, 80)
window.move(0, 0)
handle = Gtk.EventBox()
handle.add(Gtk.Label(label="drag me"))
handle.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
handle.drag_source_add_uri_targets()
handle.connect("drag-data-get", lambda _handle, _context, data, _info, _time: data.set_uris(uris))
# Dropped or let go: out of the way of what is looked at next.
handle.connect("drag-end", lambda _handle, _context: Gtk.main_quit())
window.add(handle)
window.show_all()
print("ready", flush=True)
Gtk.main()
