"""Reading and writing rows inside the transaction of a service. Only services and bridge come
here.
"""
